#!/bin/sh
# Pictures of both sides of a board from its Gerber files, by gerbv, in the colours of a real board: pictures.sh FOLDER NAME OUT
set -eu
gerbers=$1/$2 out=$3
mkdir -p "$out"
hole='#000000ff' print='#f4f4f0ff' tin='#d0b868ff' copper='#2f8a4aff' laminate='#14532d'
gerbv -x png -D 200 -B 2 -a -b $laminate -o "$out/board-$2-top.png" -f $hole "$gerbers-PTH.drl" -f $hole "$gerbers-NPTH.drl" -f $print "$gerbers-F_Silkscreen.gto" \
  -f $tin "$gerbers-F_Mask.gts" -f $copper "$gerbers-F_Cu.gtl" -f $print "$gerbers-Edge_Cuts.gm1" 2>/dev/null
gerbv -x png -D 200 -B 2 -a -m x -b $laminate -o "$out/board-$2-bottom.png" -f $hole "$gerbers-PTH.drl" -f $hole "$gerbers-NPTH.drl" \
  -f $tin "$gerbers-B_Mask.gbs" -f $copper "$gerbers-B_Cu.gbl" -f $print "$gerbers-Edge_Cuts.gm1" 2>/dev/null
