/** Hands in the reports of direct runs, oldest first, one at a time, until the control plane has accepted each. */
import { VpError } from '../../errors/vp-error.ts';
import type { PendingReport } from '../../store/outbox/reports.ts';
import { type ExecutorContext, type ExecutorSession, isReportRefused, uploadTimeoutMs } from '../executor-context.ts';
import { parseStoredReport } from './outbox.ts';
import { retryStoreWrite } from './retry-store-write.ts';

export class ReportUploader {
  readonly #context: ExecutorContext;
  #session: ExecutorSession | undefined;
  #work: Promise<void> | undefined;
  #isRescheduled = false;

  constructor(context: ExecutorContext) {
    this.#context = context;
  }

  /** Starts uploading to a control plane that accepted the `hello`. */
  start(session: ExecutorSession): void {
    this.#session = session;
    this.schedule();
  }

  /** Call when a report may have been added. */
  schedule(): void {
    if (!this.#session) return;
    if (this.#work) {
      this.#isRescheduled = true;
      return;
    }
    this.#work = this.#drain(this.#session).finally(() => {
      this.#work = undefined;
      if (!this.#isRescheduled) return;
      this.#isRescheduled = false;
      this.schedule();
    });
  }

  /** Resolves when no upload is in progress. */
  async whenIdle(): Promise<void> {
    while (this.#work) await this.#work;
  }

  /** Ends with a log line when superseded or stopped: the reports wait for the next start. */
  async #drain(session: ExecutorSession): Promise<void> {
    const { outbox, log } = this.#context;
    try {
      for (let row = await outbox.oldest('direct'); row; row = await outbox.oldest('direct')) {
        await this.#handIn(session, row);
      }
    } catch (error) {
      log.info({ problem: String(error) }, 'reports of direct runs wait for the next start');
    }
  }

  async #handIn({ epoch }: ExecutorSession, { run_id, scenario_text, report: text }: PendingReport): Promise<void> {
    const { outbox, control, controlCaller, hardStop, log } = this.#context;
    const run = { origin: 'direct', runId: run_id } as const;
    const report = parseStoredReport(text);
    if (!report || scenario_text === null) return outbox.quarantine(run, 'the stored report cannot be read');
    try {
      const callOptions = { timeoutMs: uploadTimeoutMs, signal: hardStop, isFinal: isReportRefused };
      await controlCaller.call(callOptions, (signal) => control.directRun({ epoch, scenario_text, report }, signal));
      await retryStoreWrite(this.#context, () => outbox.acknowledge(run));
    } catch (error) {
      if (!(error instanceof VpError) || !isReportRefused(error)) throw error;
      log.warn({ run: run_id, problem: error.message }, 'the control plane refused the report of a direct run');
      await retryStoreWrite(this.#context, () => outbox.quarantine(run, `${error.code}: ${error.message}`));
    }
  }
}
