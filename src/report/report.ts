/** What people and agents read of a run: the wire form, stored and sent as it is. Times in milliseconds, moments RFC 3339. */
import type { RunOrigin } from '../run/run-request.ts';

/** One check of the scenario with its outcome. `line` and `column` are those of the scenario's text. */
export type ReportCheck = {
  text: string;
  kind: string;
  line: number;
  column: number;
  /** `not_judged`: there was no response to judge. */
  outcome: 'passed' | 'failed' | 'not_judged';
  /** True when it is part of `assertions_enforced_count`. */
  counted: boolean;
  looks_at: 'response' | 'database' | 'log';
  expected: string | null;
  actual: string | null;
  /** JSON pointer (RFC 6901) into the response body. */
  pointer: string | null;
};

/** A failing check once more, in short. */
export type FailedCheck = Pick<ReportCheck, 'text' | 'line' | 'column' | 'expected' | 'actual' | 'pointer'>;

/** A body, shortened for people; `text` is null when it is not text or has expired. */
export type ReportBody = { text: string | null; size_bytes: number; truncated: boolean };

/** What was sent and what came back, secrets replaced by `[redacted]`. */
export type ReportExchange = {
  request: { method: string; url: string; headers: [string, string][]; body: string | null } | null;
  response: { status: number; headers: [string, string][]; body: ReportBody } | null;
};

/** The run's lines in the target's log; the counts go over all of them, `lines` are the first ones, each bounded. */
export type ReportLog = {
  /** Lines that contain `tr-<run id>`. */
  line_count: number;
  error_count: number;
  saga_event_count: number;
  lines: { text: string; level: string | null; error: boolean; saga_event: boolean }[];
  /** Why there are none, and what to do; null where there are. */
  problem: string | null;
  cure: string | null;
  /** From the end of the answer until looking ended. */
  waited_ms: number;
};

/** A query of VERIFY and the first rows it gave; values are compact JSON, strings as they are. */
export type ReportQuery = {
  name: string;
  line: number;
  sql: string;
  columns: string[];
  rows: (string | null)[][];
  row_count: number;
  /** True when there are more rows than `row_count`, or `rows` was shortened. */
  truncated: boolean;
  duration_ms: number;
  problem: string | null;
  cure: string | null;
};

/** What a check is worth: `proven` when a change it alone notices exists, `covered` when others notice all that it does. */
export type ProvenCheck = {
  text: string;
  line: number;
  verdict: 'proven' | 'covered' | 'never_fails' | 'not_tried';
  /** Changes of what it names, and how many of them it noticed. */
  changes: number;
  noticed: number;
  /** Lines of the checks that notice the same. */
  covered_by: number[];
  /** A change that it noticed, in words; null where there is none. */
  example: string | null;
  advice: string | null;
};

/** What no check looks at, with the check that would. */
export type UncheckedPart = { pointer: string; value: string; suggestion: string };

/** What judging changed evidence found out. */
export type ReportProof = {
  changes: number;
  checks: ProvenCheck[];
  unchecked: UncheckedPart[];
  /** Why there was nothing to prove; null where there was. */
  problem: string | null;
};

/** The report of one run. */
export type Report = {
  report_version: 1;
  run_id: string;
  correlation_id: string;
  instance: string;
  scenario: { id: string; title: string; layer: string; tags: string[]; revision: number | null };
  origin: RunOrigin;
  result: 'passed' | 'failed' | null;
  failure: { kind: string; message: string; cure: string } | null;
  observed_status: number | null;
  assertions_enforced_count: number;
  /** Judged checks of the log and the database; they are not part of `assertions_enforced_count`. */
  evidence_assertions_count: number;
  checks: ReportCheck[];
  failed_checks: FailedCheck[];
  notes: string[];
  exchange: ReportExchange;
  /** Null where nobody looked. */
  log: ReportLog | null;
  queries: ReportQuery[];
  /** Null unless it was asked for. */
  proof: ReportProof | null;
  timings: {
    queued_ms: number;
    connect_ms: number | null;
    first_byte_ms: number | null;
    body_ms: number | null;
    /** From the moment the executor took the run up to the end of the answer. */
    total_ms: number;
    /** From there until log and database were read; null where nobody looked. */
    evidence_ms: number | null;
  };
  started_at: string;
  finished_at: string;
  executor_version: string;
};
