// A pad: the player lays the card on the plate, the RC522 reads it from below; two buttons and a light in front.
// Print "base" and "plate" ("plate_middle" has no buttons) as they lie, without supports. In metal-free plastic: PLA or PETG, not carbon-filled.
include <parts.scad>

part = "base";            // base, plate, plate_middle, or a model for the pictures
pico = [21, 51, 1];       // an RP2040-Zero: [18, 23.5, 1]
card = [63, 88];          // 70 x 120 for tarot cards: then enlarge size.y too
button_hole = 13.6;
button_height = 11.5;     // from the strip to the cap's top; measure yours
$fn = 48;

size = [100, 124];        // width, depth
inside = 14;              // height between floor and plate
post = 8;

coil = [size.x / 2, 74];                                        // the middle of the coil: the middle of the card
reader_at = [coil.x - rc522.x / 2, coil.y + rc522_coil - rc522.y];
reader_under = inside - 0.5 - rc522.z;                          // the module's back is half a millimetre under the plate
strip_at = [(size.x - strip.x) / 2, 4.4];
strip_under = inside + plate_thick + 2 - button_height - strip.z;   // the caps stand out by two millimetres
button_y = strip_at.y + strip.y / 2;
button_x = [18, size.x - 18];
// Beside the reader, where its copper is not under the coil; its USB plug looks to the back and has 25 mm.
pico_at = [size.x - wall - 0.9 - pico.x, 90 - pico.y];
pico_under = 3;           // room for the joints
usb_cable = 5;

assert(reader_at.y > strip_at.y + strip.y + 9, "no room for the reader's plugs");
assert(coil.y + card.y / 2 < size.y - 2, "the card overhangs: enlarge size.y");
assert(pico_at.x > reader_at.x + rc522.x + 2, "the Pico is under the reader: enlarge size.x");
assert(strip_under > 2.5, "no room for the joints under the strip");

module base() {
    difference() {
        rounded_box([size.x, size.y, floor_thick + inside]);
        translate([wall, wall, floor_thick]) rounded_box([size.x - 2 * wall, size.y - 2 * wall, inside + 1], 2);
        translate([pico_at.x + 1, size.y - wall - 1, floor_thick + inside - usb_cable]) cube([usb_cable, wall + 2, usb_cable + 1]);
    }
    translate([0, 0, floor_thick]) {
        translate([wall - 0.1, size.y - wall - post + 0.1, 0]) screw_post(inside);
        translate([size.x - wall - post + 0.1, size.y - wall - post + 0.1, 0]) screw_post(inside);
        translate([wall - 0.1, strip_at.y + strip.y + 4, 0]) screw_post(inside);
        translate([size.x - wall - post + 0.1, strip_at.y + strip.y + 4, 0]) screw_post(inside);
        translate([reader_at.x, reader_at.y, -0.1]) rest(rc522, reader_under + 0.1, 5);
        translate([strip_at.x, strip_at.y, -0.1]) rest(strip, strip_under + 0.1, 4);
        translate([pico_at.x, pico_at.y, -0.1]) rest(pico, pico_under + 0.1, 3, 0.8);
        // the cable is tied to this bridge, so that nobody pulls it out of the Pico
        for (x = [-7, 6]) translate([size.x / 2 + 18 + x, size.y - 12, -0.1]) cube([3, 6, 6]);
    }
}

module plate(buttons = true) {
    difference() {
        rounded_box([size.x, size.y, plate_thick]);
        for (x = [wall + post / 2, size.x - wall - post / 2], y = [size.y - wall - post / 2, strip_at.y + strip.y + 4 + post / 2])
            translate([x, y, -1]) cylinder(d = screw_free, h = plate_thick + 2);
        if (buttons) for (x = button_x) translate([x, button_y, -1]) cylinder(d = button_hole, h = plate_thick + 2);
        translate([size.x / 2, button_y, -1]) cylinder(d = 6, h = plate_thick + 2);
    }
    // corners that hold the card; its edges stay free for the fingers
    place = [card.x + 3, card.y + 3];
    translate([coil.x - place.x / 2, coil.y - place.y / 2, plate_thick - 0.1]) at_corners(place) {
        translate([-2, -2, 0]) cube([14, 2, 1.3]);
        translate([-2, -2, 0]) cube([2, 14, 1.3]);
    }
}

if (part == "base") base();
if (part == "pico") translate([pico_at.x, pico_at.y, floor_thick + pico_under]) model_board(pico);
if (part == "pico_parts") translate([pico_at.x, pico_at.y, floor_thick + pico_under]) model_pico_parts(pico);
if (part == "plate") plate();
if (part == "plate_middle") plate(buttons = false);
if (part == "reader") translate([reader_at.x, reader_at.y, floor_thick + reader_under]) model_rc522();
if (part == "reader_parts") translate([reader_at.x, reader_at.y, floor_thick + reader_under]) model_rc522_parts();
if (part == "strip") translate([strip_at.x, strip_at.y, floor_thick + strip_under]) model_board(strip);
if (part == "button_accept") translate([button_x[0], button_y, floor_thick + strip_under + strip.z]) model_button();
if (part == "button_refuse") translate([button_x[1], button_y, floor_thick + strip_under + strip.z]) model_button();
if (part == "pixel") translate([size.x / 2, button_y, floor_thick + inside - 2]) cylinder(d = 10, h = 1.9);
if (part == "card") translate([coil.x - card.x / 2, coil.y - card.y / 2, floor_thick + inside + plate_thick]) cube([card.x, card.y, 0.5]);
if (part == "tag") translate([coil.x, coil.y, floor_thick + inside + plate_thick + 0.4]) cylinder(d = 25, h = 0.3);
