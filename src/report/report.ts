/** The report of a run in its wire form, stored and sent unchanged. Durations in milliseconds, timestamps RFC 3339. */
import type { RunQuarantine } from '../run/quarantine.ts';
import type { RunOrigin } from '../run/run-request.ts';

/** `line` and `column` are positions in the scenario's text. */
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
  /**
   * True where it failed beside a wrong status: it looked at the body or the rows of another answer than it expects, so it
   * is hardly a failure of its own.
   */
  follows_from_status?: true;
  /** The name of the step whose response it looked at; absent for checks of the response to TRIGGER. */
  step?: string;
};

export type FailedCheck = Pick<
  ReportCheck,
  'text' | 'line' | 'column' | 'expected' | 'actual' | 'pointer' | 'follows_from_status' | 'step'
>;

/** A body, truncated for people; `text` is null when the body is not text or has expired. */
export type ReportBody = { text: string | null; size_bytes: number; truncated: boolean };

/** Request and response, secrets replaced by `[redacted]`. */
export type ReportExchange = {
  request: { method: string; url: string; headers: [string, string][]; body: string | null } | null;
  response: { status: number; headers: [string, string][]; body: ReportBody } | null;
};

/** A request of STEPS or CLEANUP. */
export type ReportStep = {
  name: string;
  /** Of its heading in the scenario. */
  line: number;
  /** `not_judged`: no complete response. `not_known`: the executor ended before it could say. */
  outcome: 'passed' | 'failed' | 'not_judged' | 'not_sent' | 'not_known';
  /** Null where it passed, or where nothing but an earlier request was wrong. */
  problem: string | null;
  cure: string | null;
  /** Those of steps are in `checks` of the report too. */
  checks: ReportCheck[];
  exchange: ReportExchange;
  /** How often it was sent; null where nothing is known or it is not repeated. */
  attempts: number | null;
  /** Where it was sent several times at once: how many, and for how many all checks held. The exchange is of one of them. */
  concurrent?: { requests: number; passed: number };
  /** From the run's start until it was sent, for the last time. Absent where that is not known, as in reports of older executors. */
  at_ms?: number;
  /** From its beginning to the end of the answer; null where it was not sent. */
  total_ms: number | null;
};

/** A case of CASES. */
export type ReportCase = {
  name: string;
  /** Of its row in the scenario. */
  line: number;
  /** `not_judged`: no complete response, or no evidence. `not_known`: the executor ended before it could say. */
  outcome: 'passed' | 'failed' | 'not_judged' | 'not_sent' | 'not_known';
  /** Null where it passed, or where nothing but an earlier case was wrong. */
  problem: string | null;
  cure: string | null;
  correlation_id: string;
  observed_status: number | null;
  /** Judged checks, those of its steps included. */
  check_count: number;
  failed_checks: FailedCheck[];
  /** Of TRIGGER. Null where it passed, and in a run with many that did not. */
  exchange: ReportExchange | null;
  /** From its beginning to its verdict; null where it was not sent. */
  total_ms: number | null;
};

/** `at_ms`: from the run's start until it was written, as the container engine says, or else seen by the executor. Absent where unknown. */
export type ReportLogLine = { text: string; level: string | null; error: boolean; saga_event: boolean; at_ms?: number };

/** The run's lines in the target's log; the counts include all of them, `lines` holds the first ones, truncated. */
export type ReportLog = {
  /** Lines that contain `tr-<run id>`. */
  line_count: number;
  error_count: number;
  saga_event_count: number;
  lines: ReportLogLine[];
  /** Why the log could not be read; null where it was. */
  problem: string | null;
  cure: string | null;
  /** Why it is not known which lines are errors; `error_count` counts those that are known then. Absent where it is. */
  errors_unknown?: { problem: string; cure: string };
  /** Members of `observability.logstore` whose field no line has. Absent where there are none. */
  unseen?: { member: string; field: string }[];
  /** When the process that wrote the first line was started, as the container engine says. Absent where that is not known. */
  process_started_at?: string;
  /** The digest of the image of the target's container, `sha256:…`. Absent where that is not known. */
  image?: string;
  /** From the end of the response until reading ended. */
  waited_ms: number;
};

/** A query of VERIFY and its first rows; values are compact JSON, strings as they are. */
export type ReportQuery = {
  name: string;
  line: number;
  sql: string;
  columns: string[];
  rows: (string | null)[][];
  row_count: number;
  /** True when there are more rows than `row_count`, or `rows` was truncated. */
  truncated: boolean;
  /** From the run's start until it was sent, for the last time. Absent where that is not known. */
  at_ms?: number;
  duration_ms: number;
  problem: string | null;
  cure: string | null;
};

/** `proven`: on some mutation it alone fails. `covered`: others fail whenever it does. */
export type ProvenCheck = {
  text: string;
  line: number;
  verdict: 'proven' | 'covered' | 'never_fails' | 'not_tried';
  /** Mutations of its subject, and how many of them made it fail. */
  changes: number;
  noticed: number;
  /** Lines of the covering checks. */
  covered_by: number[];
  /** The description of a mutation that made it fail. */
  example: string | null;
  advice: string | null;
};

/** A part of the evidence that no check looks at, with a check that would. */
export type ReportUncheckedPart = { pointer: string; value: string; suggestion: string; note?: string };

/** The result of judging mutated evidence. */
export type ReportProof = {
  changes: number;
  checks: ProvenCheck[];
  unchecked: ReportUncheckedPart[];
  /** Why nothing could be proven. */
  problem: string | null;
};

export type Report = {
  report_version: 1;
  run_id: string;
  correlation_id: string;
  instance: string;
  /** `owner` and `links` of its Metadata; absent where it has none. */
  scenario: {
    id: string;
    title: string;
    layer: string;
    tags: string[];
    revision: number | null;
    owner?: string;
    links?: string[];
  };
  origin: RunOrigin;
  result: 'passed' | 'failed' | null;
  /** Where the scenario was in quarantine when the control plane judged the run: a failure does not count as one. Absent otherwise. */
  quarantine?: RunQuarantine;
  failure: { kind: string; message: string; cure: string } | null;
  observed_status: number | null;
  /** The version of the target: that of the run's request comes before all others. Absent where it is not known. */
  target_version?: string;
  assertions_enforced_count: number;
  /** Judged checks of the log and the database; they are not part of `assertions_enforced_count`. */
  evidence_assertions_count: number;
  checks: ReportCheck[];
  failed_checks: FailedCheck[];
  notes: string[];
  /** Of TRIGGER. */
  exchange: ReportExchange;
  /** How often the request of TRIGGER was sent. Absent where it is not repeated. */
  attempts?: number;
  /** Absent where the scenario has none. */
  steps?: ReportStep[];
  /** The requests of CLEANUP, sent after the verdict, which they do not change. Absent where the scenario has none. */
  cleanup?: ReportStep[];
  /**
   * Absent where the scenario has no CASES. The counts of assertions are those of all cases; what else is said of requests and
   * checks is about the case `displayed_case`: the first that failed, else the first one.
   */
  cases?: ReportCase[];
  displayed_case?: string;
  /** Null where the log was not read. */
  log: ReportLog | null;
  queries: ReportQuery[];
  /** Null unless it was requested. */
  proof: ReportProof | null;
  timings: {
    queued_ms: number;
    connect_ms: number | null;
    first_byte_ms: number | null;
    body_ms: number | null;
    /** Of the steps, and of earlier attempts; absent where there were none. The times that follow begin after it. */
    before_ms?: number;
    /** From the moment the executor took the run up, or from `before_ms` on, to the end of the answer. */
    total_ms: number;
    /** From there until log and database were read; null where neither was. */
    evidence_ms: number | null;
  };
  started_at: string;
  finished_at: string;
  executor_version: string;
};
