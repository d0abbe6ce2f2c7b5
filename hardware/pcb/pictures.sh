#!/bin/sh
# Pictures of both sides of a board from its Gerber files, by gerbv: pictures.sh FOLDER NAME OUT
set -eu
gerbers=$1/$2 out=$3
mkdir -p "$out"
hole='#ffffffff' print='#fffffff0' tin='#d8b040ff' copper='#2a7a3aff' edge='#1b5528ff' paper='#ffffff'
gerbv -x png -D 200 -B 2 -a -b $paper -o "$out/board-$2-top.png" -f $hole "$gerbers-PTH.drl" -f $print "$gerbers-F_Silkscreen.gto" \
  -f $tin "$gerbers-F_Mask.gts" -f $copper "$gerbers-F_Cu.gtl" -f $edge "$gerbers-Edge_Cuts.gm1" 2>/dev/null
gerbv -x png -D 200 -B 2 -a -m x -b $paper -o "$out/board-$2-bottom.png" -f $hole "$gerbers-PTH.drl" \
  -f $tin "$gerbers-B_Mask.gbs" -f $copper "$gerbers-B_Cu.gbl" -f $edge "$gerbers-Edge_Cuts.gm1" 2>/dev/null
