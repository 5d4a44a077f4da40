/** Hands in the reports of direct runs, oldest first, one at a time, until the control plane has accepted each. */
import { VpError } from '../../errors/vp-error.ts';
import type { Report } from '../../report/report.ts';
import type { PendingReport } from '../../store/outbox/reports.ts';
import { type ExecutorContext, type ExecutorSession, isReportRefused, uploadTimeoutMs } from '../executor-context.ts';
import { parseStoredReport } from './outbox.ts';
import { retryStoreWrite } from './retry-store-write.ts';

export class ReportUploader {
  readonly #context: ExecutorContext;
  #session: ExecutorSession | undefined;
  #work: Promise<void> | undefined;
  readonly #unstored = new Set<Promise<void>>();
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
    while (this.#work || this.#unstored.size > 0) await Promise.all([this.#work, ...this.#unstored]);
  }

  /** A report that could not be stored before a stop is handed in from memory, for as long as the stop waits. */
  handInUnstored(report: Report, scenarioText: string): void {
    const work = this.#handInFromMemory(report, scenarioText).finally(() => this.#unstored.delete(work));
    this.#unstored.add(work);
  }

  async #handInFromMemory(report: Report, scenarioText: string): Promise<void> {
    const { log } = this.#context;
    const fields = { run: report.run_id, result: report.result };
    try {
      if (!this.#session) throw new Error('no control plane has accepted this executor yet');
      await this.#send(this.#session, report, scenarioText);
      log.info(fields, 'the report of a direct run was handed in; it could not be stored here');
    } catch (error) {
      const problem = String(error);
      log.warn(
        { ...fields, problem },
        'the report of a direct run could not be stored before the stop: only its caller has it, not the control plane',
      );
    }
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

  #send({ epoch }: ExecutorSession, report: Report, scenario_text: string): Promise<unknown> {
    const { control, controlCaller, hardStop } = this.#context;
    const callOptions = { timeoutMs: uploadTimeoutMs, signal: hardStop, isFinal: isReportRefused };
    return controlCaller.call(callOptions, (signal) => control.directRun({ epoch, scenario_text, report }, signal));
  }

  async #handIn(session: ExecutorSession, { run_id, scenario_text, report: text }: PendingReport): Promise<void> {
    const { outbox, log } = this.#context;
    const run = { origin: 'direct', runId: run_id } as const;
    const report = parseStoredReport(text);
    if (!report || scenario_text === null) return outbox.quarantine(run, 'the stored report cannot be read');
    try {
      await this.#send(session, report, scenario_text);
      await retryStoreWrite(this.#context, () => outbox.acknowledge(run));
    } catch (error) {
      if (!(error instanceof VpError) || !isReportRefused(error)) throw error;
      log.warn({ run: run_id, problem: error.message }, 'the control plane refused the report of a direct run');
      await retryStoreWrite(this.#context, () => outbox.quarantine(run, `${error.code}: ${error.message}`));
    }
  }
}
