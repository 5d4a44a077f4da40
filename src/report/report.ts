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
  checks: ReportCheck[];
  failed_checks: FailedCheck[];
  notes: string[];
  exchange: ReportExchange;
  timings: {
    queued_ms: number;
    connect_ms: number | null;
    first_byte_ms: number | null;
    body_ms: number | null;
    total_ms: number;
  };
  started_at: string;
  finished_at: string;
  executor_version: string;
};
