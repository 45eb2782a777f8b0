// Which waiting slots the pass of the pending grant can serve too: those in the same row of the same X position whose
// track the granted sled has. Combinational, a comparator a slot: what a slot wants may change while the grant waits.
module aau_rides #(
  parameter int unsigned SLOTS = 32,
  parameter int unsigned LANES = 4,
  parameter int unsigned CYL_BITS = 23,
  parameter int unsigned ANGLE_BITS = 16
) (
  input  logic                  clk,
  input  logic                  rst_n,
  input  logic                  load_i,      // of the grant, with what its slot wants
  input  logic [CYL_BITS-1:0]   cylinder_i,
  input  logic [ANGLE_BITS-1:0] row_i,
  output logic [CYL_BITS-1:0]   cylinder_o,
  output logic [ANGLE_BITS-1:0] row_o,
  input  logic                  pending_i,
  input  logic [SLOTS-1:0]      waiting_i,
  input  logic [SLOTS-1:0]      same_i,      // lane by lane: those that want that place
  input  logic                  read_i,
  input  logic [4:0]            word_i,
  output logic [31:0]           rdata_o
);
  localparam int unsigned Rows = SLOTS / LANES;
  localparam int unsigned Words = (SLOTS + 31) / 32;

  logic [CYL_BITS-1:0] cylinder_q;
  logic [ANGLE_BITS-1:0] row_q;

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      cylinder_q <= '0;
      row_q <= '0;
    end else if (load_i) begin
      cylinder_q <= cylinder_i;
      row_q <= row_i;
    end
  end

  // Slot n lies in lane n mod LANES, row n / LANES. Only the word that is read is put together: a simulator has no work
  // with the others.
  always_comb begin
    rdata_o = '0;
    if (read_i && pending_i) begin
      for (int unsigned w = 0; w < Words; w++) begin
        if (32'(word_i) == w) begin
          for (int unsigned n = 32 * w; n < SLOTS && n < 32 * w + 32; n++) begin
            rdata_o[n % 32] = waiting_i[n] && same_i[(n % LANES) * Rows + n / LANES];
          end
        end
      end
    end
  end

  assign cylinder_o = cylinder_q;
  assign row_o = row_q;
endmodule
