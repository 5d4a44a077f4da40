/** Clients that send all the time and repeat a failed request once, at once; what failed is counted by kind. */
import { type Agent, request } from 'undici';

/** One kind of requests. Each must be safe to repeat. */
export type LoadKind = {
  readonly name: string;
  readonly clients: number;
  /** Throws when the answer is not the right one. `key` is another one for each request. */
  send(key: string): Promise<void>;
};

export type KindCounts = { sent: number; repeated: number; failed: number; slowestMs: number };

/** Throws with the answer unless it is a success. */
export async function sendOnce(
  url: string,
  options: NonNullable<Parameters<typeof request>[1]> & { readonly dispatcher: Agent },
): Promise<string> {
  const { statusCode, body } = await request(url, options);
  const text = await body.text();
  if (statusCode >= 300) throw new Error(`${statusCode} ${text.slice(0, 200)}`);
  return text;
}

export class CountedLoad {
  readonly counts = new Map<string, KindCounts>();
  /** The errors of both attempts of a request, with when it was sent. */
  readonly failures: string[] = [];
  readonly firstErrors = new Map<string, number>();
  #isOver = false;
  readonly #ended: Promise<unknown>;

  constructor(kinds: readonly LoadKind[]) {
    this.#ended = Promise.all(
      kinds.flatMap((kind) => Array.from({ length: kind.clients }, (_, client) => this.#work(kind, client))),
    );
  }

  async #work({ name, send }: LoadKind, client: number): Promise<void> {
    const counts = this.counts.get(name) ?? { sent: 0, repeated: 0, failed: 0, slowestMs: 0 };
    this.counts.set(name, counts);
    for (let number = 0; !this.#isOver; number += 1) {
      const key = `${name}-${client}-${number}`;
      const startMs = performance.now();
      counts.sent += 1;
      await send(key).catch((first: unknown) => {
        counts.repeated += 1;
        const label = `${name}: ${String(first).slice(0, 120)}`;
        this.firstErrors.set(label, (this.firstErrors.get(label) ?? 0) + 1);
        return send(key).catch((second: unknown) => {
          counts.failed += 1;
          this.failures.push(`${key}: ${String(first)}, then ${String(second)}`);
        });
      });
      counts.slowestMs = Math.max(counts.slowestMs, performance.now() - startMs);
    }
  }

  get sent(): number {
    return [...this.counts.values()].reduce((sum, { sent }) => sum + sent, 0);
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#ended;
  }

  /** One line for each kind. */
  format(): string[] {
    return [...this.counts].map(
      ([name, { sent, repeated, failed, slowestMs }]) =>
        `${name}: ${sent} sent, ${repeated} repeated once, ${failed} failed, slowest ${Math.round(slowestMs)} ms`,
    );
  }
}
