// Sizes of real parts in millimetres, what they rest on, and plain models of them for the pictures.
// Measure yours: boards from different makers differ by half a millimetre. All prints need no supports.

slack = 0.4;          // between a part and what holds it
wall = 2.4;
floor_thick = 2;
plate_thick = 2;
screw_hole = 2.6;     // an M3 screw cuts its own thread in it
screw_free = 3.4;     // an M3 screw passes through it

rc522 = [40, 60, 1.6];
rc522_coil = 20;      // from the end without pins to the middle of the coil
strip = [80, 20, 1.6];

module at_corners(size) {
    for (x = [0, 1], y = [0, 1]) translate([x * size.x, y * size.y, 0]) mirror([x, 0, 0]) mirror([0, y, 0]) children();
}

// Four posts with a fence: a board drops in from above and cannot slide.
module rest(board, height, post = 6, fence = 1.2) {
    translate([-slack, -slack, 0]) at_corners([board.x + 2 * slack, board.y + 2 * slack])
        difference() {
            translate([-fence, -fence, 0]) cube([post + fence, post + fence, height + board.z]);
            translate([0, 0, height]) cube([post + 1, post + 1, board.z + 1]);
        }
}

module screw_post(height, side = 8) {
    difference() {
        cube([side, side, height]);
        translate([side / 2, side / 2, height - 10]) cylinder(d = screw_hole, h = 10.1);
    }
}

module rounded_box(size, r = 4) {
    linear_extrude(size.z) translate([r, r]) offset(r = r) square([size.x - 2 * r, size.y - 2 * r]);
}

// A lying bore that prints without supports: its roof is a 45 degree gable. Along +y, from the origin.
module bore(d, length) {
    translate([0, length, 0]) rotate([90, 0, 0]) linear_extrude(length) union() {
        circle(d = d);
        intersection() {
            rotate(45) square(d / 2);
            translate([-d / 2, 0]) square([d, d / 2 * 1.2]);
        }
    }
}

// ---- models for the pictures ----

module model_rc522() {
    cube(rc522);
}

module model_rc522_parts() {    // pins at y = 0, parts underneath
    translate([10, -8, -2.5]) cube([20.3, 10.5, 2.5]);
    translate([16, 12, -1]) cube([8, 8, 1]);
}

module model_board(size) {
    cube(size);
}

module model_pico_parts(board) {
    translate([board.x / 2 - 4, board.y - 4.6, board.z]) cube([8, 6, 2.8]);        // USB
    translate([board.x / 2 - 3.5, board.y * 0.4, board.z]) cube([7, 7, 0.9]);
}

module model_button() {
    translate([-6, -6, 0]) cube([12, 12, 4]);
    cylinder(d = 13, h = 11.5);
}
