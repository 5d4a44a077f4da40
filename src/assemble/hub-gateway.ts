/** The gateway of hubs: audit and policies, and, at the first call, the door to upstream servers. */
import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { type Engine, openEngine } from '../containers/engine.ts';
import type { OpenControl } from '../control/open.ts';
import type { Environment } from '../environment/environment.ts';
import { version } from '../environment/version.ts';
import { vpError } from '../errors/vp-error.ts';
import { type AuditLog, openAudit } from '../hub/audit/audit-log.ts';
import type { AuditSettings } from '../hub/audit/settings.ts';
import type { ConnectionsInUse } from '../hub/connections-in-use.ts';
import type { HubSignIns, SignInAbout } from '../hub/connections-sign-in.ts';
import type { HubFront } from '../hub/gateway/front.ts';
import { type Governance, governanceOf } from '../hub/governance.ts';
import type { HubService } from '../hub/hubs-service.ts';
import { type CommandRunning, type OperatorCommands, planeLabel } from '../hub/upstream/operator-commands.ts';
import type { Revocations } from '../hub/upstream/revocations.ts';
import type { MemoryPort } from '../hub/words.ts';
import type { Identity } from '../identity/identity.ts';
import { guardedFetch } from '../outbound/guarded-fetch.ts';
import { masterKey } from '../secrets/master-key.ts';
import { resourceMetadata } from '../server/well-known.ts';
import type { ProcessLog } from './process-log.ts';

/** The operator's word on upstream servers. */
export type UpstreamSettings = {
  readonly allowPrivate: boolean;
  /** Certificates trusted besides the usual ones. */
  readonly extraRoots: readonly string[];
  readonly commands: OperatorCommands;
  /** Where they are named. */
  readonly commandsFile?: string | undefined;
  /** Commands without an image run as they are, as our own user. */
  readonly unsafeStdio: boolean;
};

/** What holds unless the operator says otherwise: public servers only, and no programs. */
export const defaultUpstreamSettings: UpstreamSettings = {
  allowPrivate: false,
  extraRoots: [],
  commands: new Map(),
  unsafeStdio: false,
};

/** What it stands on. */
export type HubGatewayPlace = {
  readonly folder: string;
  readonly control: Pick<OpenControl, 'database'>;
  readonly identity: Pick<Identity, 'tell'>;
  readonly hub: HubService;
  /** For connections of the kind `memory`; none answer without it. */
  readonly memory?: MemoryPort | undefined;
  readonly environment: Environment;
  readonly settings?: UpstreamSettings | undefined;
  readonly auditSettings?: Partial<AuditSettings> | undefined;
  /** Where callers reach this control plane. */
  readonly address: () => string;
  readonly log: ProcessLog;
};

/** Open; the SDK is loaded at the first call. */
export type HubGateway = {
  readonly audit: AuditLog;
  readonly governance: Governance;
  front(): Promise<HubFront>;
  /** Connections as the console uses them. */
  readonly inUse: () => Promise<ConnectionsInUse>;
  readonly signIns: () => Promise<HubSignIns>;
  /** Ends what is under way and lets nobody in any more. */
  drain(): Promise<void>;
  /** Closes the audit, once nothing is told to it any more. */
  close(): Promise<void>;
};

const limits = { silenceMs: 60_000, wholeMs: 15 * 60_000 };
const connectMs = 10_000;
const answerLimitBytes = 20_000_000;
const listBoundMs = 3000;

/** Opens it. Throws STORE_*. */
export async function openHubGateway(place: HubGatewayPlace): Promise<HubGateway> {
  const { folder, control, identity, hub, environment } = place;
  const { clock, random, variables } = environment;
  const key = masterKey(
    { file: join(folder, 'master.key'), variable: variables.VP_MASTER_KEY, mayCreate: false },
    random,
  );
  if (!key) throw vpError('STORE_KEY_MISSING', { folder });
  const onFault = faultsTo(place);
  const audit = await openAudit({
    folder,
    masterKey: key,
    clock,
    random,
    settings: place.auditSettings ?? {},
    onFault,
  });
  const tell: Identity['tell'] = (event) => identity.tell(event);
  const governance = governanceOf({ database: control.database, audit, book: hub.book, clock, tell });
  let opened: Promise<Opened> | undefined;
  const open = (): Promise<Opened> => {
    opened ??= openParts(place, { audit, governance, onFault });
    return opened;
  };
  const unlisten = hub.onSignInsEnded((ended) => {
    open().then(({ revocations }) => revocations.begin(ended), onFault);
  });
  return {
    audit,
    governance,
    front: async () => (await open()).front,
    inUse: async () => (await open()).inUse,
    signIns: async () => (await open()).signIns,
    async drain() {
      unlisten();
      await (await opened)?.close();
    },
    close: () => audit.close(),
  };
}

function faultsTo({ log }: HubGatewayPlace): (fault: unknown) => void {
  return (fault) => log.error({ err: fault }, 'the gateway of hubs broke');
}

type Ruling = Pick<HubGateway, 'audit' | 'governance'> & { readonly onFault: (fault: unknown) => void };

type Opened = {
  readonly front: HubFront;
  readonly inUse: ConnectionsInUse;
  readonly signIns: HubSignIns;
  readonly revocations: Revocations;
  close(): Promise<void>;
};

async function openParts(place: HubGatewayPlace, ruling: Ruling): Promise<Opened> {
  const { audit, governance, onFault } = ruling;
  const { hub, environment, settings = defaultUpstreamSettings, address } = place;
  const { clock, random, variables } = environment;
  const [{ openGateway }, { baseline }, { hubFront }, console] = await Promise.all([
    import('../hub/gateway/gateway.ts'),
    import('../hub/gateway/baseline.ts'),
    import('../hub/gateway/front.ts'),
    consoleParts(),
  ]);
  const { allowPrivate, extraRoots, commands } = settings;
  const outward = guardedFetch({ allowPrivate, extraRoots, variables, answerLimitBytes });
  const upstream = {
    ask: outward.ask,
    fetch: outward.fetch,
    secrets: hub.book.secrets,
    commands,
    running: await runningOf(place, settings),
    messageLimitBytes: answerLimitBytes,
    version,
    clock,
    random,
    limits,
    connectMs,
    memory: place.memory,
    noteState: (...noted: Parameters<typeof hub.book.noteState>) => void hub.book.noteState(...noted).catch(onFault),
    noteWarning: (...noted: Parameters<typeof hub.book.noteWarning>) =>
      void hub.book.noteWarning(...noted).catch(onFault),
  };
  const { policy } = governance;
  const gateway = openGateway({
    book: hub.book,
    policy,
    audit,
    upstream,
    clock,
    random,
    version,
    listBoundMs,
    onFault,
  });
  const front = hubFront({
    door: hub.door,
    gateway,
    baseline: baseline(version, address),
    clock,
    resourceMetadata: (slug, request) => resourceMetadata(address(), request, { kind: 'hub', slug }),
  });
  const { records, hubs, book } = hub;
  const { secrets } = book;
  const inUse = console.connectionsInUse({ records, hubs, gateway, secrets, clock });
  const pending = new console.SignIns<SignInAbout>({ secrets, clock, random, fetch: outward.fetch, allowPrivate });
  const signIns = console.hubSignIns({ records, signIns: pending, upstreams: gateway.upstreams, secrets });
  const tell: Identity['tell'] = (event) => place.identity.tell(event);
  const revocations = new console.Revocations({ clock, fetch: outward.fetch, tell, onFault });
  return {
    front,
    inUse,
    signIns,
    revocations,
    async close() {
      pending.close();
      await revocations.close();
      await front.close();
      await outward.close();
    },
  };
}

/** What the console needs of connections. */
async function consoleParts() {
  const [{ connectionsInUse }, { hubSignIns }, { SignIns }, { Revocations }] = await Promise.all([
    import('../hub/connections-in-use.ts'),
    import('../hub/connections-sign-in.ts'),
    import('../hub/upstream/sign-ins.ts'),
    import('../hub/upstream/revocations.ts'),
  ]);
  return { connectionsInUse, hubSignIns, SignIns, Revocations };
}

/** The engine that confines commands; looked for only where the operator offers any. */
async function runningOf(
  { environment, folder, log }: HubGatewayPlace,
  settings: UpstreamSettings,
): Promise<CommandRunning> {
  const { variables } = environment;
  const shared = { unsafe: settings.unsafeStdio, path: variables.PATH };
  const confined = [...settings.commands.values()].some(({ image }) => image !== undefined);
  const engine = confined ? await openEngine(environment).catch(() => undefined) : undefined;
  if (!engine) return { ...shared, engine };
  const plane = planeOf(folder);
  await removeLeft(engine, plane).catch((err) => log.warn({ err }, 'containers of an earlier start may be left'));
  return { ...shared, plane, engine: { file: engine.facts.program, variables: engineVariables(variables) } };
}

/** The same at each start: its folder is locked, so that there is no other one. */
export function planeOf(folder: string): string {
  return createHash('sha256').update(resolve(folder)).digest('hex').slice(0, 16);
}

/** A control plane that was killed could not end the containers of its connections. */
async function removeLeft(engine: Engine, plane: string): Promise<void> {
  const found = await engine.output(['ps', '--all', '--quiet', '--filter', `label=${planeLabel(plane)}`]);
  const ids = found.split('\n').filter(Boolean);
  if (ids.length > 0) await engine.attempt(['rm', '--force', ...ids]);
}

/** What an engine's command line looks at; a container gets none of it. */
function engineVariables(variables: Environment['variables']): Environment['variables'] {
  const kept = /^(PATH|HOME|DOCKER_.*|CONTAINER_.*|XDG_RUNTIME_DIR)$/;
  return Object.fromEntries(Object.entries(variables).filter(([name]) => kept.test(name)));
}
