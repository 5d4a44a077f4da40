/** Changes that a server reports to all callers: of its lists, and of resources and tasks that are watched. */
import {
  type Client,
  type McpSubscription,
  ProtocolError,
  ProtocolErrorCode,
  type SubscriptionFilter,
} from '@modelcontextprotocol/client';
import type { Clock } from '../../environment/clock.ts';

export type ChangedList = 'tools' | 'prompts' | 'resources';

/** What callers can watch, by the server's own names. Only servers of the newest era report on tasks in this way. */
export type WatchTarget = { readonly uri: string } | { readonly taskId: string };

export type WatchOptions = {
  readonly clock: Pick<Clock, 'after' | 'monotonicMs'>;
  /** For the server to confirm. */
  readonly timeoutMs: number;
  isClosed(): boolean;
  /** A subscription broke and is open again: changes between may have been missed. */
  onReopened(): void;
};

const changedLists: Readonly<Record<string, ChangedList>> = {
  'notifications/tools/list_changed': 'tools',
  'notifications/prompts/list_changed': 'prompts',
  'notifications/resources/list_changed': 'resources',
};
const minDelayMs = 5000;
/** For subscriptions that a server ends at once. */
const maxDelayMs = 60_000;

/** Returns undefined for other notifications. */
export function findChangedList(method: string): ChangedList | undefined {
  return changedLists[method];
}

/** Servers of the newest era send changes on a subscription, which is opened again when it breaks. Never rejects. */
export async function subscribeToUpstreamChanges(
  client: Client,
  options: Omit<WatchOptions, 'onReopened'>,
  onMissed: (list: ChangedList) => void,
): Promise<void> {
  const { tools, prompts, resources } = client.getServerCapabilities() ?? {};
  const lists: readonly ChangedList[] = [
    ...(tools?.listChanged ? (['tools'] as const) : []),
    ...(prompts?.listChanged ? (['prompts'] as const) : []),
    ...(resources?.listChanged ? (['resources'] as const) : []),
  ];
  if (lists.length === 0) return;
  const filter: SubscriptionFilter = Object.fromEntries(lists.map((list) => [`${list}ListChanged`, true]));
  const onReopened = (): void => lists.forEach(onMissed);
  const opened = await client.listen(filter, { timeout: options.timeoutMs }).catch(() => undefined);
  new ReopenedSubscription(client, filter, opened, { ...options, onReopened });
}

/** Returns a function that stops watching. */
export async function watchAtServer(
  client: Client,
  target: WatchTarget,
  options: WatchOptions,
): Promise<() => Promise<void>> {
  const request = { timeout: options.timeoutMs };
  if (client.getProtocolEra() === 'modern') {
    // The type lacks the member of the tasks extension.
    const filter: SubscriptionFilter & { readonly taskIds?: string[] } =
      'uri' in target ? { resourceSubscriptions: [target.uri] } : { taskIds: [target.taskId] };
    const subscription = new ReopenedSubscription(client, filter, await client.listen(filter, request), options);
    return () => subscription.close();
  }
  if (!('uri' in target)) throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'the server has no such tasks');
  const { uri } = target;
  await client.subscribeResource({ uri }, request);
  return () => client.unsubscribeResource({ uri }, request).then(() => {});
}

/** A subscription that is opened again when it breaks, as long as its client is open. */
class ReopenedSubscription {
  readonly #client: Client;
  readonly #filter: SubscriptionFilter;
  readonly #options: WatchOptions;
  #subscription: McpSubscription | undefined;
  #isClosed = false;

  constructor(
    client: Client,
    filter: SubscriptionFilter,
    subscription: McpSubscription | undefined,
    options: WatchOptions,
  ) {
    this.#client = client;
    this.#filter = filter;
    this.#subscription = subscription;
    this.#options = options;
    void this.#keepOpen();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#subscription?.close();
  }

  async #keepOpen(): Promise<void> {
    const { clock, timeoutMs, isClosed, onReopened } = this.#options;
    let delayMs = minDelayMs;
    for (;;) {
      const openedAtMs = clock.monotonicMs();
      await this.#subscription?.closed;
      const isShort = clock.monotonicMs() - openedAtMs < delayMs;
      await new Promise<void>((resolve) => clock.after(delayMs, resolve));
      delayMs = isShort ? Math.min(2 * delayMs, maxDelayMs) : minDelayMs;
      if (this.#isClosed || isClosed()) return;
      this.#subscription = await this.#client.listen(this.#filter, { timeout: timeoutMs }).catch(() => undefined);
      // It may have been closed meanwhile.
      if (this.#isClosed) await this.#subscription?.close();
      else if (this.#subscription) onReopened();
    }
  }
}
