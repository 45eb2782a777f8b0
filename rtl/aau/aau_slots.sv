// Which slots wait, and the snapshot that a decision looks at. What a slot wants is in the banks,
// one a lane (aau_slot_bank).
module aau_slots #(
  parameter int unsigned SLOTS = 32,
  parameter int unsigned SEQ_BITS = 32,
  parameter int unsigned SLOT_BITS = 5
) (
  input  logic                 clk,
  input  logic                 rst_n,
  input  logic [SLOT_BITS-1:0] slot_i,           // of the bus address
  input  logic                 write_commit_i,
  input  logic                 write_withdraw_i,
  input  logic                 withdraw_all_i,
  input  logic                 valid_i,          // pwdata of a commit
  input  logic [1:0]           class_i,
  input  logic [9:0]           named_slot_i,     // pwdata of withdraw
  input  logic                 grant_load_i,
  input  logic [SLOT_BITS-1:0] grant_load_slot_i,
  input  logic                 keep_i,           // the same slot waits for its arm: others may be granted
  input  logic                 forget_i,         // which slots do
  input  logic                 begin_i,          // a decision begins at the next edge

  output logic [SLOTS-1:0]     waiting_o,
  output logic [SLOTS-1:0]     open_o,           // that wait, and not for their arm
  output logic [SLOTS-1:0]     snapshot_o,
  output logic                 host_in_snapshot_o,
  output logic [SEQ_BITS-1:0]  sequence_o,
  output logic                 named_in_range_o, // pwdata names a slot of this instance
  output logic [SLOT_BITS-1:0] named_o,
  output logic                 named_waiting_o
);
  logic [SLOTS-1:0] waiting_q, host_q, kept_q, snapshot_q;
  logic host_in_snapshot_q;
  logic [SEQ_BITS-1:0] sequence_q;

  logic named_in_range;
  logic [SLOT_BITS-1:0] named;
  assign named_in_range = 32'(named_slot_i) < SLOTS;
  assign named = named_slot_i[SLOT_BITS-1:0];

  logic commit;
  assign commit = write_commit_i && valid_i;

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      waiting_q <= '0;
      host_q <= '0;
      sequence_q <= '0;
    end else begin
      if (write_commit_i) begin
        waiting_q[slot_i] <= valid_i;
        host_q[slot_i] <= class_i == 2'd0;
      end
      if (commit) sequence_q <= sequence_q + 1'b1;
      if (write_withdraw_i && named_in_range) waiting_q[named] <= 1'b0;
      if (grant_load_i) waiting_q[grant_load_slot_i] <= 1'b0;
      if (withdraw_all_i) waiting_q <= '0;
    end
  end

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) kept_q <= '0;
    else if (forget_i) kept_q <= '0;
    else if (keep_i) kept_q[grant_load_slot_i] <= 1'b1;
  end

  always_ff @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      snapshot_q <= '0;
      host_in_snapshot_q <= 1'b0;
    end else if (begin_i) begin
      snapshot_q <= waiting_q & ~kept_q;
      host_in_snapshot_q <= |(waiting_q & host_q);
    end
  end

  assign waiting_o = waiting_q;
  assign open_o = waiting_q & ~kept_q;
  assign snapshot_o = snapshot_q;
  assign host_in_snapshot_o = host_in_snapshot_q;
  assign sequence_o = sequence_q;
  assign named_in_range_o = named_in_range;
  assign named_o = named;
  assign named_waiting_o = named_in_range && waiting_q[named];
endmodule
