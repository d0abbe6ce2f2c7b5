    .syntax unified
    .cpu cortex-m0plus
    .thumb

// The boot ROM copies these 256 bytes to RAM and runs them if the last four are their checksum (2.8.1.3.1: CRC-32, polynomial
// 04C11DB7h, started with ones, nothing reflected). They let the flash be read one bit wide with command 03h, which every serial
// flash has, and go on with the two words behind them. tools/uf2.py refuses an image whose checksum is another.
    .section .boot2, "ax"
    ldr r3, =0x18000000        // SSI
    movs r0, #0
    str r0, [r3, #0x08]        // SSIENR: off
    movs r0, #4
    str r0, [r3, #0x14]        // BAUDR: a quarter of the clock, 1.6 MHz at the start
    ldr r0, =0x001f0300        // CTRLR0: 32 bits a frame, EEPROM read
    str r0, [r3, #0x00]
    ldr r0, =0x03000218        // SPI_CTRLR0: command 03h of 8 bits, address of 24
    movs r1, #0xf4
    str r0, [r3, r1]
    movs r0, #0
    str r0, [r3, #0x04]        // CTRLR1: one frame
    movs r0, #1
    str r0, [r3, #0x08]
    ldr r0, =0x10000100
    ldmia r0!, {r1, r2}
    msr msp, r1
    bx r2
    .ltorg
    .org 252
    .word 0x27afc11d

    .section .start, "ax"
    .word __stack_top, start
    .thumb_func
    .globl start
start:
    ldr r1, =__image_start
    ldr r2, =__image_end
    ldr r3, =__image_load
1:  cmp r1, r2
    bhs 2f
    ldmia r3!, {r0}
    stmia r1!, {r0}
    b 1b
2:  ldr r1, =__bss_start
    ldr r2, =__bss_end
    movs r0, #0
3:  cmp r1, r2
    bhs 4f
    stmia r1!, {r0}
    b 3b
4:  ldr r0, =vectors
    ldr r1, =0xe000ed08        // VTOR
    str r0, [r1]
    ldr r4, =__init_array_start
    ldr r5, =__init_array_end
5:  cmp r4, r5
    bhs 6f
    ldmia r4!, {r0}
    blx r0
    b 5b
6:  ldr r0, =main
    bx r0
    .ltorg

    .section .vectors, "a"
vectors:
    .word __stack_top, start, fault, fault, 0, 0, 0, 0, 0, 0, 0, fault, 0, 0, fault, fault
    .word millisecond_over, pause_over, fault, fault, fault, usb_wants
    .rept 26
    .word fault
    .endr

    .text
    .thumb_func
fault:                         // here the watchdog finds it
    b fault
