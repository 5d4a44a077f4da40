/** The failures that an output has already explained: a target that is down fails every scenario with the same fix. */
import type { Report } from '../report.ts';

type PrintedFailure = { readonly scenario: string; readonly message: string };

export class PrintedFailures {
  readonly #first = new Map<string, PrintedFailure>();

  /** The first failure with the same kind and fix. Where there is none, this one is the first. */
  findEarlier({ failure, scenario }: Report): PrintedFailure | undefined {
    if (!failure) return undefined;
    const key = JSON.stringify([failure.kind, failure.cure]);
    const earlier = this.#first.get(key);
    if (!earlier) this.#first.set(key, { scenario: scenario.id, message: failure.message });
    return earlier;
  }
}

/** The runs of one scenario are repeated or retried. */
export function nameEarlier({ scenario }: Report, earlier: PrintedFailure): string {
  return earlier.scenario === scenario.id ? 'its earlier run' : earlier.scenario;
}

/** Whether a run has nothing to show that the earlier one has not: it sent nothing. */
export function repeatsFailure(report: Report, earlier: PrintedFailure): boolean {
  const { failure, failed_checks, exchange, steps = [], cases } = report;
  if (failure?.message !== earlier.message || failed_checks.length > 0 || cases) return false;
  return exchange.request === null && steps.every((step) => step.exchange.request === null);
}
