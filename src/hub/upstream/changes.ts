/** Changes that a server reports to all callers: of its lists, and of resources that are watched. */
import type { Client, SubscriptionFilter } from '@modelcontextprotocol/client';
import type { Clock } from '../../environment/clock.ts';

export type ChangedList = 'tools' | 'prompts' | 'resources';

const changedLists: Readonly<Record<string, ChangedList>> = {
  'notifications/tools/list_changed': 'tools',
  'notifications/prompts/list_changed': 'prompts',
  'notifications/resources/list_changed': 'resources',
};
/** Longer than any subscription. */
const noTimeoutMs = 24 * 3_600_000;
const resubscribeDelayMs = 5000;

/** Returns undefined for other notifications. */
export function findChangedList(method: string): ChangedList | undefined {
  return changedLists[method];
}

/** Servers of the newest era send changes on a subscription, which is opened again when it breaks. */
export async function subscribeToUpstreamChanges(
  client: Client,
  clock: Pick<Clock, 'after'>,
  isClosed: () => boolean,
): Promise<void> {
  const { tools, prompts, resources } = client.getServerCapabilities() ?? {};
  const filter: SubscriptionFilter = {
    ...(tools?.listChanged ? { toolsListChanged: true } : {}),
    ...(prompts?.listChanged ? { promptsListChanged: true } : {}),
    ...(resources?.listChanged ? { resourcesListChanged: true } : {}),
  };
  if (Object.keys(filter).length === 0) return;
  while (!isClosed()) {
    const subscription = await client.listen(filter, { timeout: noTimeoutMs }).catch(() => undefined);
    await subscription?.closed;
    await new Promise<void>((resolve) => clock.after(resubscribeDelayMs, resolve));
  }
}

/** Returns a function that stops watching. */
export async function watchResource(client: Client, uri: string, timeoutMs: number): Promise<() => Promise<void>> {
  const options = { timeout: timeoutMs };
  if (client.getProtocolEra() === 'modern') {
    const subscription = await client.listen({ resourceSubscriptions: [uri] }, options);
    return () => subscription.close();
  }
  await client.subscribeResource({ uri }, options);
  return () => client.unsubscribeResource({ uri }, options).then(() => {});
}
