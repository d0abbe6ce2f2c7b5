// Holds a webcam above the table: a clamp at the table's edge, two 20 mm tubes (electrician's conduit or wooden dowel), an elbow
// between them, and a plate for the camera's tripod thread. Print all three as they lie, without supports.
include <parts.scad>

part = "clamp";           // clamp, elbow, plate, or a model for the pictures: mast, boom, camera, table
tube = 20;                // outer diameter of the tubes
table_thick = 45;         // the thickest table that fits
mast_length = 750;
boom_length = 500;
$fn = 48;

bore_d = tube + 0.5;
thick = tube + 12;        // of every block
grip = 55;                // length of tube that is held
m8 = 8.4;
m8_nut = [13.2, 6.8];     // across flats, height
m4 = 3.6;                 // an M4 screw cuts its own thread: it holds the tube

assert(tube >= 15 && tube <= 32, "tubes of 15 to 32 mm fit");

// x: over the table, y: up. Lying on its side; strong, because the layers run along the C.
module clamp() {
    arm = 16;
    reach = 60;
    difference() {
        union() {
            cube([thick, table_thick + 2 * arm + 12, thick]);
            translate([0, table_thick + arm + 12, 0]) cube([reach + thick, arm, thick]);
            cube([reach + thick, arm, thick]);
            translate([0, table_thick + 2 * arm + 12 - 0.1, 0]) cube([thick, grip - arm, thick]);
        }
        translate([thick / 2, table_thick + 2 * arm + 12 - arm - 2, thick / 2]) bore(bore_d, grip + 5);
        translate([thick / 2, table_thick + 12 + arm + grip / 2 + 10, thick / 2]) cylinder(d = m4, h = thick);
        translate([reach + thick - 16, -1, thick / 2]) bore(m8, arm + 2);
        // the nut is pushed in from the side and cannot turn
        translate([reach + thick - 16 - m8_nut[0] / 2, arm / 2 - m8_nut[1] / 2, thick / 2 - m8_nut[0] / 2 / cos(30)])
            cube([m8_nut[0], m8_nut[1], thick]);
    }
}

module elbow() {
    difference() {
        union() {
            cube([thick, thick + grip, thick]);
            translate([0, grip, 0]) cube([thick + grip, thick, thick]);
            // a gusset keeps the boom from sagging
            translate([thick, grip, 0]) linear_extrude(thick) polygon([[-0.1, 0.1], [30, 0.1], [-0.1, -30]]);
        }
        translate([thick / 2, -1, thick / 2]) bore(bore_d, grip);
        translate([thick + 1, grip + thick / 2, thick / 2]) rotate(-90) bore(bore_d, grip);
        translate([thick / 2, grip / 2, thick / 2]) cylinder(d = m4, h = thick);
        translate([thick + grip - 15, grip + thick / 2, thick / 2]) cylinder(d = m4, h = thick);
    }
}

module plate() {
    difference() {
        union() {
            cube([thick, 40, thick]);
            translate([-44, 0, 0]) cube([45, 40, 7]);
        }
        translate([thick / 2, -1, thick / 2]) bore(bore_d, 42);
        translate([thick / 2, 20, thick / 2]) cylinder(d = m4, h = thick);
        translate([-22, 20, -1]) cylinder(d = 6.6, h = 9);       // 1/4 inch tripod screw
        translate([-38, 14, -1]) cube([5, 12, 9]);               // the camera's cable
    }
}

if (part == "clamp") clamp();
if (part == "elbow") elbow();
if (part == "plate") plate();
if (part == "mast") rotate([-90, 0, 0]) cylinder(d = tube, h = mast_length);
if (part == "boom") rotate([0, 90, 0]) cylinder(d = tube, h = boom_length);
if (part == "camera") { translate([-15, -35, -22]) cube([30, 70, 20]); translate([0, 0, -28]) cylinder(d = 18, h = 8); }
if (part == "table") translate([-20, -30, -350]) cube([800, 30, 700]);
