/**
 * Who may do what: the only place that says so. A row is an action, a column a role; what is not listed is refused. `own`
 * holds for the instances that belong to the caller; to an agent and to a machine belongs the one that its token is for. Every route names
 * its action; a test walks all routes with all roles.
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

/** `key` is the owner key of a control plane without accounts. */
export const columns = [
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
/** One of {@link columns}. */
export type Column = (typeof columns)[number];
/** Everything of a kind, or only what belongs to the caller. */
export type Scope = 'all' | 'own';

type Row = Partial<Readonly<Record<Column, Scope>>> & {
  /** Only in a browser: a token that leaks must not make further ones, or change who there is. */
  readonly sessionOnly?: true;
};

const everyone = { owner: 'all', member: 'all', viewer: 'all', key: 'all' } as const;
const workers = { owner: 'all', member: 'all', key: 'all' } as const;
/** Somebody with an account: the owner key is nobody in particular. */
const people = { owner: 'all', member: 'all', viewer: 'all' } as const;
const keepers = { owner: 'all', member: 'own', key: 'all' } as const;
const signedIn = { owner: 'all', member: 'all', viewer: 'all', sessionOnly: true } as const;
const owners = { owner: 'all', sessionOnly: true } as const;
const tester = { test_agent: 'own' } as const;
const machine = { machine: 'own' } as const;
const agents = { test_agent: 'own', product_agent: 'own' } as const;

/** The table. */
export const authorization = {
  'instance.read': { ...everyone, ...agents, ...machine },
  'instance.create': workers,
  'instance.change': keepers,
  'instance.remove': { ...keepers, ...machine },
  'scenario.read': { ...everyone, ...tester },
  'scenario.write': { ...keepers, ...tester },
  'run.read': { ...everyone, ...agents },
  'run.request': { ...workers, ...tester },
  'run.cancel': { ...workers, ...tester },
  'event.read': everyone,
  'person.read': everyone,
  'person.manage': owners,
  'invitation.manage': owners,
  /** Who am I. */
  'self.read': everyone,
  /** One's own password, sessions and keys. */
  'self.manage': signedIn,
  /** To let a program act for oneself. */
  'grant.decide': signedIn,
  /** What an agent's own token stands for. */
  'agent.self': agents,
  'hub.create': { owner: 'all', member: 'all' },
  /** What members do in a hub: the hub's own table says what (hub/hubs-authorization.ts). */
  'hub.act': people,
  'lease.hold': { executor: 'all' },
  'metrics.read': { owner: 'all', key: 'all', scrape: 'all' },
  'description.read': { ...everyone, executor: 'all', scrape: 'all' },
} as const satisfies Readonly<Record<string, Row>>;

/** An action of the table. */
export type Action = keyof typeof authorization;

/** True for a name of the table. */
export function isAction(name: string): name is Action {
  return Object.hasOwn(authorization, name);
}

type ActionOf<R> = { [A in Action]: (typeof authorization)[A] extends R ? A : never }[Action];
/** Whom a handler meets behind each action. */
export type CallerByAction = {
  readonly [A in Action]: A extends ActionOf<{ sessionOnly: true }>
    ? SessionCaller
    : A extends 'lease.hold'
      ? ExecutorCaller
      : A extends 'agent.self'
        ? AgentCaller
        : A extends 'metrics.read' | 'description.read'
          ? Caller
          : A extends 'hub.create' | 'hub.act'
            ? PersonCaller
            : A extends ActionOf<{ machine: Scope }>
              ? ActingCaller | MachineCaller
              : A extends ActionOf<{ test_agent: Scope }>
                ? ActingCaller
                : HumanCaller;
};

/** The column of a caller. */
export function columnOf(caller: Caller): Column {
  if (caller.kind === 'person') return caller.role;
  if (caller.kind === 'agent') return `${caller.role}_agent`;
  return caller.kind === 'owner' ? 'key' : caller.kind;
}

/** How far the caller may go with an action; undefined where it may not. */
export function scopeOf(caller: Caller, action: Action): Scope | undefined {
  const row: Row = authorization[action];
  const inBrowser = caller.kind === 'person' && caller.via === 'session';
  return row.sessionOnly && !inBrowser ? undefined : row[columnOf(caller)];
}

/** Whether the caller may do it at all, perhaps only with what is its own. */
export function allows<A extends Action>(caller: Caller, action: A): caller is CallerByAction[A] & Caller {
  return scopeOf(caller, action) !== undefined;
}

function ownText(column: Column): string {
  return column === 'machine' || column.endsWith('_agent')
    ? `${column} of its one instance`
    : `${column} of its own instances`;
}

/** The columns that may do it, in words. */
export function callersText(action: Action): string {
  const row: Row = authorization[action];
  const may = columns.filter((column) => row[column] !== undefined);
  const own = may.filter((column) => row[column] === 'own').map(ownText);
  const all = may.filter((column) => row[column] === 'all');
  return `Callers: ${[...all, ...own].join(', ')}${row.sessionOnly ? '; in a browser only' : ''}.`;
}
