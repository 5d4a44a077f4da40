/** Calls through hubs: forwarded and recorded as the gateway does it; the upstream server is the simulation's. */

import type { HubPrincipal } from '../../../src/hub/access/principal.ts';
import type { AuditLog } from '../../../src/hub/audit/audit-log.ts';
import { CallForwarder } from '../../../src/hub/gateway/call-forwarder.ts';
import { KnownElicitations } from '../../../src/hub/gateway/known-elicitations.ts';
import { PendingCalls } from '../../../src/hub/gateway/pending-calls.ts';
import { createPrincipal, listFaults } from '../../hub/audit/test-audit.ts';
import { createTestConnection } from '../../hub/fixtures/test-connection.ts';
import type { Checker } from './checker.ts';
import { type Client, NoResponseError } from './client.ts';
import type { ControlServices } from './control-host.ts';
import type { Scheduler } from './scheduler.ts';

type Call = { readonly id: string; readonly hub: string; readonly answeredMs: number };

export type HubOptions = { readonly scheduler: Scheduler; readonly checker: Checker; readonly client: Client };

/** Without the strict mode a power cut takes what was committed in this time at most; it is far more than ever needed. */
const maxUnsyncedMs = 1000;

export class Hub {
  readonly #options: HubOptions;
  #answered: Call[] = [];
  /** When the control plane could not sync: it stood still, or its disk refused writes. In the order of their begin. */
  readonly #pauses: { readonly fromMs: number; readonly untilMs: number }[] = [];
  #count = 0;
  /** Those in which the audit may lose what it did not sync. */
  #powerCuts = 0;

  constructor(options: HubOptions) {
    this.#options = options;
  }

  /** One call; its response may be lost, and the audit may refuse it. */
  async call(hub: string): Promise<void> {
    const { scheduler, checker, client } = this.#options;
    const { storeGeneration } = checker;
    const powerCuts = this.#powerCuts;
    this.#count += 1;
    const id = `call-${this.#count}`;
    try {
      await client.call((services) => forwardCall(createPrincipal(hub), id, services, scheduler));
      // A response that was on its way when the power was cut is one of the last that the audit may lose.
      const isPromised = storeGeneration === checker.storeGeneration && powerCuts === this.#powerCuts;
      if (isPromised) this.#answered.push({ id, hub, answeredMs: scheduler.nowMs });
      scheduler.log('client', `${id} through ${hub} is answered`);
    } catch (error) {
      const isRefused = error instanceof Error && !(error instanceof NoResponseError);
      if (isRefused) scheduler.log('client', `${id} through ${hub} is refused: ${error.message.slice(0, 60)}`);
    }
  }

  onPause(forMs: number): void {
    const { nowMs } = this.#options.scheduler;
    this.#pauses.push({ fromMs: nowMs, untilMs: nowMs + forMs });
  }

  /** The audit is not strict: what it did not sync may be lost. */
  onPowerCut(): void {
    this.#powerCuts += 1;
    this.#answered = this.#answered.filter(({ answeredMs }) => this.#countWorkingMs(answeredMs) > maxUnsyncedMs);
  }

  /** How long the control plane could sync since `sinceMs`. */
  #countWorkingMs(sinceMs: number): number {
    const { nowMs } = this.#options.scheduler;
    let workingMs = 0;
    let countedUntilMs = sinceMs;
    for (const { fromMs, untilMs } of this.#pauses) {
      workingMs += Math.max(0, fromMs - countedUntilMs);
      countedUntilMs = Math.max(countedUntilMs, untilMs);
    }
    return workingMs + Math.max(0, nowMs - countedUntilMs);
  }

  /** The folder of the control plane is an older copy. */
  forgetPromises(): void {
    this.#answered = [];
  }

  /** Every answered call has its row, and the chains verify. */
  async check(audit: AuditLog, folder: string): Promise<void> {
    const { checker } = this.#options;
    await audit.syncToDisk();
    for (const hub of new Set(this.#answered.map((call) => call.hub))) {
      const recorded = new Set<string | null>();
      const everything = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };
      for await (const page of audit.calls(createPrincipal(hub).hub.id, everything))
        for (const { request_id } of page) recorded.add(request_id);
      for (const { id } of this.#answered.filter((call) => call.hub === hub))
        if (!recorded.has(id)) checker.fail(`${id} through ${hub} was answered and has no row in the audit`);
    }
    for (const fault of await listFaults({ file: `${folder}/audit.db`, folder })) checker.fail(`audit chain: ${fault}`);
  }
}

const connection = createTestConnection('tickets', { id: 'c1', hubId: 'h1', url: 'http://tickets.test' });

async function forwardCall(
  principal: HubPrincipal,
  requestId: string,
  { audit, control, process }: ControlServices,
  scheduler: Scheduler,
): Promise<void> {
  const { clock } = control;
  const { random } = process;
  const send = (): Promise<Record<string, unknown>> =>
    new Promise((resolve) => {
      const respond = (): void => resolve({ content: [], resultType: 'complete' });
      if (process.mayContinue('before an upstream call')) scheduler.schedule(random.integer(1, 400), process, respond);
    });
  const pendingCalls = new PendingCalls(clock, random);
  const upstream = { secrets: { header: async () => undefined } };
  const forwarder = new CallForwarder({
    audit,
    clock,
    upstream,
    pendingCalls,
    knownElicitations: new KnownElicitations(),
  });
  const context = {
    era: 'newest' as const,
    ...{ principal, requestId, requestBytes: 100, headers: new Headers(), capabilities: {}, meta: {} },
    ...{ signal: new AbortController().signal, progressToken: undefined, logLevel: undefined },
    ...{ inputResponses: undefined, requestState: undefined, notify: () => {} },
  };
  const params = { name: 'create', arguments: { title: 'Broken door' } };
  const call = { connection, upstream: { send }, method: 'tools/call', name: 'create', params };
  await forwarder.forward(context, { ...call, arguments: params.arguments }, { keep: true, hide: [] });
}
