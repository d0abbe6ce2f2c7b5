// The box of the board and the junction board (perfboard 9 x 7 cm). Print "base" and "lid" as they lie, without supports.
include <parts.scad>

part = "base";            // base, lid, or a model for the pictures
board = "mega";           // mega, uno, nano (which sits on the junction board)
$fn = 48;

gap = 5;
post = 8;
arduino = board == "mega" ? mega : uno;
with_arduino = board != "nano";
stand = 6;                // height of the boards above the floor
inner = with_arduino
    ? [max(arduino.x, perfboard.x) + 2 * post, arduino.y + perfboard.y + 3 * gap, 36]
    : [perfboard.x + 2 * post, perfboard.y + 2 * gap, 36];
outer = [inner.x + 2 * wall, inner.y + 2 * wall, inner.z + floor_thick];
arduino_at = [wall + 2.2, wall + gap];          // its sockets look out of the left wall
perf_at = with_arduino ? [(outer.x - perfboard.x) / 2, wall + arduino.y + 2 * gap] : [wall + 2, wall + gap];
nano_at = [perf_at.x, perf_at.y + 26, floor_thick + stand + perfboard.z + 8.5];
slot = min(100, inner.x - 2 * post - 2);        // seven ribbons, two layers

assert(stand > 3, "no room for the joints under the junction board");

module holes_of_board() {
    z = floor_thick + stand + 1.6;
    if (with_arduino) translate([-1, arduino_at.y, z]) {
        translate([0, 31, -0.6]) cube([wall + 4, 13.6, 12]);    // USB
        translate([0, 2.5, -0.6]) cube([wall + 4, 10.6, 12]);   // power jack: stays free, for looking and air
    } else translate([-1, nano_at.y + 2, nano_at.z]) cube([wall + 4, 14, 9]);
}

module base() {
    difference() {
        rounded_box(outer);
        translate([wall, wall, floor_thick]) rounded_box([inner.x, inner.y, inner.z + 1], 2);
        holes_of_board();
        // ribbons leave at the back, under the lid; the supply's cable beside them
        translate([(outer.x - slot) / 2, outer.y - wall - 1, outer.z - 4]) cube([slot, wall + 2, 5]);
        translate([outer.x - wall - 1, perf_at.y + 20, outer.z - 6]) cube([wall + 2, 6, 7]);
        // slots for screws or hooks on the underside of a table
        for (x = [outer.x / 2 - 25, outer.x / 2 + 25]) translate([x, outer.y - 14, -1]) cylinder(d = 4.2, h = 9);
    }
    translate([wall, wall, floor_thick - 0.1]) at_corners([inner.x, inner.y]) translate([-0.1, -0.1, 0]) corner_post();
    translate([0, 0, floor_thick - 0.1]) {
        if (with_arduino) for (hole = board == "mega" ? mega_holes : uno_holes)
            translate([arduino_at.x + hole.x, arduino_at.y + hole.y, 0]) difference() {
                cylinder(d = 6, h = stand + 0.1);
                translate([0, 0, 1]) cylinder(d = screw_hole, h = stand);
            }
        translate([perf_at.x, perf_at.y, 0]) rest(perfboard, stand + 0.1);
    }
}

// Starts above the boards and grows out of the corner at 45 degrees.
module corner_post() {
    height = inner.z + 0.1;
    start = with_arduino ? 18 : 24;
    difference() {
        hull() {
            translate([0, 0, start + post]) cube([post, post, height - start - post]);
            translate([0, 0, start - 2]) cube([0.1, 0.1, 1]);
        }
        translate([post / 2, post / 2, height - 9]) cylinder(d = screw_hole, h = 10);
    }
}

module lid() {
    difference() {
        rounded_box([outer.x, outer.y, plate_thick]);
        for (x = [wall + post / 2, outer.x - wall - post / 2], y = [wall + post / 2, outer.y - wall - post / 2])
            translate([x, y, -1]) cylinder(d = screw_free, h = plate_thick + 2);
        for (i = [-3:3]) translate([outer.x / 2 + i * 8 - 1.5, outer.y * 0.2, -1]) cube([3, outer.y * 0.22, plate_thick + 2]);
        for (a = [0:60:300]) translate([outer.x * 0.5 + 5 * cos(a), outer.y * 0.75 + 5 * sin(a), -1]) cylinder(d = 2.2, h = plate_thick + 2);
    }
}

if (part == "base") base();
if (part == "lid") lid();
on_stand = floor_thick + stand;
if (part == "arduino" && with_arduino) translate([arduino_at.x, arduino_at.y, on_stand]) model_board(arduino);
if (part == "arduino_parts" && with_arduino) translate([arduino_at.x, arduino_at.y, on_stand]) model_mega_parts();
if (part == "arduino" && !with_arduino) translate(nano_at) model_board(nano);
if (part == "arduino_parts" && !with_arduino) translate(nano_at) model_nano_parts();
if (part == "perfboard") translate([perf_at.x, perf_at.y, on_stand]) model_board(perfboard);
if (part == "sockets") translate([perf_at.x, perf_at.y, on_stand + perfboard.z]) {
    if (with_arduino) {
        for (i = [0:3]) translate([60, 4 + 16 * i, 0]) model_socket();
        for (i = [0:2]) translate([30, 20 + 16 * i, 0]) model_socket();
    } else for (i = [0:2]) translate([60, 10 + 19 * i, 0]) model_socket();
}
if (part == "chips") translate([perf_at.x, perf_at.y, on_stand + perfboard.z]) {
    if (with_arduino) for (i = [0:3]) translate([5, 6 + 16 * i, 0]) model_chip(i < 2 ? 16 : 14);
    else { translate([6, 5, 0]) model_chip(16); translate([33, 5, 0]) model_chip(14); }
}
