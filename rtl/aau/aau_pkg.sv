// Constants of the arm-arbitration unit. Registers: rtl/regs/aau.rdl; the unit: docs/reference/arm-arbitration-unit.md.
package aau_pkg;
  // Clocks from the edge at which a decision begins to its grant, less one for each row that it looks at.
  localparam int unsigned Pipeline = 18;

  // Pipeline stage after which a candidate's key is known; the minimum over the lanes follows.
  localparam int unsigned KeyStage = 14;

  localparam int unsigned SeekBits = 24;      // a seek's time
  localparam int unsigned SlopeShift = 24;    // a slope counts 2^-24 ticks a cylinder
  localparam int unsigned TimeBits = 25;      // a candidate's time: seek, three times 16 bits, a revolution
  localparam int unsigned AheadBits = 24;     // an appointment, from the beginning of the decision; later ones count so
  localparam int unsigned FreeBits = 22;      // until an arm in service comes free, if it is reckoned with
  localparam int unsigned Appointments = 16;  // of the arms in service, then those of the winners that were kept
  localparam int unsigned LengthBits = 9;     // of a slot, in units of 256 ticks
  localparam int unsigned WaitedBits = 32;
  localparam int unsigned CreditBits = 38;    // (waited * ageing weight) >> 10
  localparam int unsigned KeyBits = 40;       // signed

  // Sleds: times count in 1/64 tick; a word of the memory of seeks is a time and three bits (aau_sled_cost.sv).
  localparam int unsigned SledShift = 6;
  localparam int unsigned SledWordBits = 29;
  localparam int unsigned SledNone = 29;  // the row is not passed over in this direction
  localparam int unsigned SledAt = 30;    // the sled stands at the row's end
  localparam int unsigned ZoneBits = KeyBits - 1 - TimeBits;  // of the zones from the sled's upwards, modulo (ZSPTF)
  localparam int unsigned SledUp = 31;    // the way to the row's end leads upwards

  localparam logic [2:0] PolicyFcfs = 3'd0;
  localparam logic [2:0] PolicySstf = 3'd1;
  localparam logic [2:0] PolicyClook = 3'd2;
  localparam logic [2:0] PolicySptf = 3'd3;
  localparam logic [2:0] PolicyZsptf = 3'd5;  // of sleds; those above SPTF otherwise: aged SPTF
endpackage
