/** Hands in the reports of direct runs, oldest first, one at a time, until the control plane has each. */
import { VpError } from '../errors/vp-error.ts';
import type { WaitingReport } from '../store/outbox/reports.ts';
import { type ExecutorParts, refusesReport, type Session, uploadLimitMs } from './session.ts';
import { parseStoredReport } from './stored-report.ts';

/** The uploads of one start. */
export class Uploads {
  readonly #parts: ExecutorParts;
  #session: Session | undefined;
  #work: Promise<void> | undefined;
  #again = false;

  constructor(parts: ExecutorParts) {
    this.#parts = parts;
  }

  /** From now on there is a control plane to hand them to. */
  begin(session: Session): void {
    this.#session = session;
    this.kick();
  }

  /** There may be something to hand in. */
  kick(): void {
    if (!this.#session) return;
    if (this.#work) {
      this.#again = true;
      return;
    }
    this.#work = this.#drain(this.#session).finally(() => {
      this.#work = undefined;
      if (!this.#again) return;
      this.#again = false;
      this.kick();
    });
  }

  /** Resolves when nothing is being handed in. */
  async settled(): Promise<void> {
    while (this.#work) await this.#work;
  }

  /** Ends without a word when it is superseded or cut off: the reports wait for the next start. */
  async #drain(session: Session): Promise<void> {
    const { outbox, log } = this.#parts;
    try {
      for (let row = await outbox.oldest('direct'); row; row = await outbox.oldest('direct')) {
        await this.#handIn(session, row);
      }
    } catch (error) {
      log.info({ problem: String(error) }, 'reports of direct runs wait for the next start');
    }
  }

  async #handIn({ epoch }: Session, { run_id, scenario_text, report: text }: WaitingReport): Promise<void> {
    const { outbox, control, insistence, cut, log } = this.#parts;
    const run = { origin: 'direct', runId: run_id } as const;
    const report = parseStoredReport(text);
    if (!report || scenario_text === null) return outbox.setApart(run, 'the stored report cannot be read');
    try {
      const trying = { limitMs: uploadLimitMs, signal: cut, isFinal: refusesReport };
      await insistence.call(trying, (signal) => control.directRun({ epoch, scenario_text, report }, signal));
      await outbox.acknowledge(run);
    } catch (error) {
      if (!(error instanceof VpError) || !refusesReport(error)) throw error;
      log.warn({ run: run_id, problem: error.message }, 'the control plane refuses the report of a direct run');
      await outbox.setApart(run, `${error.code}: ${error.message}`);
    }
  }
}
