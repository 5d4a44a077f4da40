/** A page of the console in a drill: one stream of changes across all connections, compared with the runs at the end. */
import type { Client } from '../../../src/client/client.ts';
import type { ChangeEvent, Run } from '../../../src/contract/api.ts';

/** Heartbeats come every 15 s. */
const silenceMs = 18_000;

export class EventWatcher {
  readonly #name: string;
  readonly #newest = new Map<string, Run>();
  readonly problems: string[] = [];
  #lastSeq = 0;
  changes = 0;
  connections = 0;

  constructor(name: string) {
    this.#name = name;
  }

  async watch(client: Client, signal: AbortSignal): Promise<void> {
    const onConnection = (problem: unknown): void => {
      if (problem === undefined) this.connections += 1;
    };
    while (!signal.aborted) {
      try {
        const options = { sinceSeq: this.#lastSeq, signal, onConnection, silenceMs };
        for await (const change of client.events(options)) this.#add(change);
      } catch (error) {
        if (!signal.aborted) this.problems.push(`${this.#name}: the stream ended with ${String(error)}`);
        return;
      }
    }
  }

  #add(change: ChangeEvent): void {
    this.changes += 1;
    if (change.seq <= this.#lastSeq)
      this.problems.push(`${this.#name}: change ${change.seq} came after ${this.#lastSeq}`);
    this.#lastSeq = change.seq;
    if (change.type === 'run') this.#newest.set(change.run.run_id, change.run);
  }

  /** Runs whose end this page has not seen. */
  findMissed(runs: ReadonlyMap<string, Run>): string[] {
    return [...runs.values()]
      .filter(({ run_id: id, state }) => this.#newest.get(id)?.state !== state)
      .map(({ run_id: id, state }) => {
        const seen = this.#newest.get(id)?.state ?? 'nothing';
        return `${this.#name}: ${id} is ${state}, and the stream had ${seen}`;
      });
  }
}
