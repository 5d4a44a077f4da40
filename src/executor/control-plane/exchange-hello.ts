/** The first calls of a start: a challenge, then the hello that repeats it. */
import type { ControlPort, HelloRequest, HelloResponse, StaleStore } from '../../contract/executor-api.ts';
import { VpError } from '../../errors/vp-error.ts';
import { type ExecutorContext, isExecutorRefused } from '../executor-context.ts';
import { retryStoreWrite } from '../outbox/retry-store-write.ts';

const timeoutMs = 20_000;
const startIdBytes = 16;

const staleStoreTexts: Readonly<Record<StaleStore, string>> = {
  executor:
    'the folder of this executor is an older copy: the control plane gave it runs that it does not know; none is sent again',
  'control plane':
    'the store of the control plane is an older copy: queued runs were cancelled, and runs that it acknowledged since are missing there',
};

/**
 * Repeats both calls until the control plane has accepted the start, and stores that. Each attempt has its own challenge, so
 * that one that arrives late is refused. Throws what `isExecutorRefused` names, and the reason of a stop.
 */
export async function exchangeHello(
  context: ExecutorContext,
  message: Omit<HelloRequest, 'start'>,
): Promise<HelloResponse> {
  const { control, controlCaller, outbox, random, stopping, log } = context;
  const startId = random.token(startIdBytes);
  const welcome = await controlCaller.call(
    { timeoutMs, signal: stopping, isFinal: isExecutorRefused },
    async (signal) => {
      const challenge = await requestChallenge(control, startId, signal);
      const start = challenge === undefined ? {} : { start: { id: startId, challenge } };
      return control.hello({ ...message, ...start }, signal);
    },
  );
  if (welcome.stale_store) log.warn({ stale_store: welcome.stale_store }, staleStoreTexts[welcome.stale_store]);
  await retryStoreWrite(context, () => outbox.registerStart(welcome));
  return welcome;
}

/** Undefined where the control plane gives none, as 0.4.0. */
async function requestChallenge(
  control: ControlPort,
  startId: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    return (await control.challenge({ start_id: startId }, signal)).challenge;
  } catch (error) {
    if (error instanceof VpError && error.code === 'ROUTE_UNKNOWN') return undefined;
    throw error;
  }
}
