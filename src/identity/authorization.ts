/**
 * The authorization table of the API. Rows are actions, columns are kinds of callers; what is not listed is denied. `own`
 * covers the instances that belong to the caller; for an agent or a machine that is the instance of its token. Every route
 * names its action, and a test checks all routes with all roles.
 */
import type {
  ActingCaller,
  AgentCaller,
  Caller,
  ExecutorCaller,
  HumanCaller,
  MachineCaller,
  PersonCaller,
  SessionCaller,
} from './caller.ts';

/** The kinds of callers. `key` is the owner key of a control plane without accounts. */
export const callerKinds = [
  'owner',
  'member',
  'viewer',
  'key',
  'test_agent',
  'product_agent',
  'machine',
  'executor',
  'scrape',
] as const;
export type CallerKind = (typeof callerKinds)[number];
/** `own`: only what belongs to the caller. */
export type OwnershipScope = 'all' | 'own';

type AuthorizationRow = Partial<Readonly<Record<CallerKind, OwnershipScope>>> & {
  /** Only in a browser: a leaked token must not create further tokens or change accounts. */
  readonly sessionOnly?: true;
};

const signedInOrKey = { owner: 'all', member: 'all', viewer: 'all', key: 'all' } as const;
const contributors = { owner: 'all', member: 'all', key: 'all' } as const;
/** Callers with an account; the owner key stands for no particular person. */
const people = { owner: 'all', member: 'all', viewer: 'all' } as const;
const maintainers = { owner: 'all', member: 'own', key: 'all' } as const;
const peopleInBrowser = { owner: 'all', member: 'all', viewer: 'all', sessionOnly: true } as const;
const ownersInBrowser = { owner: 'all', sessionOnly: true } as const;
const testAgents = { test_agent: 'own' } as const;
const machines = { machine: 'own' } as const;
const agents = { test_agent: 'own', product_agent: 'own' } as const;

export const authorizationTable = {
  'instance.read': { ...signedInOrKey, ...agents, ...machines },
  'instance.create': contributors,
  'instance.change': maintainers,
  'instance.remove': { ...maintainers, ...machines },
  'scenario.read': { ...signedInOrKey, ...testAgents },
  'scenario.write': { ...maintainers, ...testAgents },
  /** Decide that the failures of a scenario do not count for a while; an agent must not hide what it broke. */
  'scenario.quarantine': maintainers,
  'run.read': { ...signedInOrKey, ...agents },
  'run.request': { ...contributors, ...testAgents },
  'run.cancel': { ...contributors, ...testAgents },
  /** Resolve failures, assign them, and write notes. */
  'failure.change': contributors,
  /** Create, change, pause and remove what runs by itself. */
  'schedule.change': contributors,
  /** Save, change and delete named filters of pages; a personal view is its person's alone. */
  'view.change': contributors,
  /** Channels and the log of deliveries; secrets are not in them. */
  'notification.read': signedInOrKey,
  /** Decide where the control plane sends messages, with which credentials. */
  'notification.change': { owner: 'all', key: 'all' },
  /** Which pages people without an account can read; their secrets are not in it. */
  'status_page.read': signedInOrKey,
  /** Make results public, and stop that; an agent must not. */
  'status_page.change': maintainers,
  'event.read': signedInOrKey,
  /** Read what the control plane runs on, with addresses in its network. */
  'system.read': { owner: 'all', key: 'all' },
  'person.read': signedInOrKey,
  'person.manage': ownersInBrowser,
  'invitation.manage': ownersInBrowser,
  /** Read one's own identity. */
  'self.read': signedInOrKey,
  /** Manage one's own password, sessions and keys. */
  'self.manage': peopleInBrowser,
  /** Consent to an OAuth client acting for oneself. */
  'grant.decide': peopleInBrowser,
  /** Read what an agent's own token stands for. */
  'agent.self': agents,
  'hub.create': { owner: 'all', member: 'all' },
  /** Act in a hub; the hub's own table says what each of its roles may do. */
  'hub.act': people,
  'lease.hold': { executor: 'all' },
  'metrics.read': { owner: 'all', key: 'all', scrape: 'all' },
  'description.read': { ...signedInOrKey, executor: 'all', scrape: 'all' },
} as const satisfies Readonly<Record<string, AuthorizationRow>>;

export type AuthorizedAction = keyof typeof authorizationTable;

export function isAction(name: string): name is AuthorizedAction {
  return Object.hasOwn(authorizationTable, name);
}

type ActionWith<R> = {
  [A in AuthorizedAction]: (typeof authorizationTable)[A] extends R ? A : never;
}[AuthorizedAction];
/** The type of caller that a handler receives for each action. */
export type CallerByAction = {
  readonly [A in AuthorizedAction]: A extends ActionWith<{ sessionOnly: true }>
    ? SessionCaller
    : A extends 'lease.hold'
      ? ExecutorCaller
      : A extends 'agent.self'
        ? AgentCaller
        : A extends 'metrics.read' | 'description.read'
          ? Caller
          : A extends 'hub.create' | 'hub.act'
            ? PersonCaller
            : A extends ActionWith<{ machine: OwnershipScope }>
              ? ActingCaller | MachineCaller
              : A extends ActionWith<{ test_agent: OwnershipScope }>
                ? ActingCaller
                : HumanCaller;
};

function classifyCaller(caller: Caller): CallerKind {
  if (caller.kind === 'person') return caller.role;
  if (caller.kind === 'agent') return `${caller.role}_agent`;
  return caller.kind === 'owner' ? 'key' : caller.kind;
}

/** The scope in which the caller may perform the action; undefined when it may not. */
export function getOwnershipScope(caller: Caller, action: AuthorizedAction): OwnershipScope | undefined {
  const row: AuthorizationRow = authorizationTable[action];
  const isInBrowser = caller.kind === 'person' && caller.via === 'session';
  return row.sessionOnly && !isInBrowser ? undefined : row[classifyCaller(caller)];
}

/** True when the caller may perform the action on everything, or on what is its own. */
export function isActionAllowed<A extends AuthorizedAction>(
  caller: Caller,
  action: A,
): caller is CallerByAction[A] & Caller {
  return getOwnershipScope(caller, action) !== undefined;
}

function describeOwnKind(kind: CallerKind): string {
  return kind === 'machine' || kind.endsWith('_agent') ? `${kind} of its one instance` : `${kind} of its own instances`;
}

/** Describes the callers that may perform an action, for the API description. */
export function describeCallers(action: AuthorizedAction): string {
  const row: AuthorizationRow = authorizationTable[action];
  const permitted = callerKinds.filter((kind) => row[kind] !== undefined);
  const ownKinds = permitted.filter((kind) => row[kind] === 'own').map(describeOwnKind);
  const allKinds = permitted.filter((kind) => row[kind] === 'all');
  return `Callers: ${[...allKinds, ...ownKinds].join(', ')}${row.sessionOnly ? '; in a browser only' : ''}.`;
}
