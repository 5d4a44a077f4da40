import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { tryParseJson } from '../../json/json-object.ts';
import { checkPassed, createProblem, type SetupProblem } from '../checks/setup-check.ts';
import type { DoctorCheck } from './context.ts';

const OptionalText = Type.Optional(Type.String());
const OptionalCount = Type.Optional(Type.Number());
/** Control planes of earlier versions say less. */
const Readiness = Type.Object({
  reason: OptionalText,
  clock: OptionalText,
  store: Type.Optional(
    Type.Object({
      engine: OptionalText,
      connection: OptionalText,
      connections: Type.Optional(Type.Object({ used: OptionalCount, open: OptionalCount, waiting: OptionalCount })),
      notices: OptionalText,
    }),
  ),
  replica: Type.Optional(Type.Object({ id: OptionalText, role: OptionalText, live: OptionalCount })),
});

/** The control plane and its store respond. */
export const controlPlaneCheck: DoctorCheck = {
  id: 'control_plane',
  title: 'control plane',
  async inspect({ controlPlane: url, fetchPage, nowMs, state }) {
    const page = await fetchPage(`${url}/readyz`);
    if (!page) {
      const unreachable = createProblem('CONTROL_PLANE_UNREACHABLE', { url, problem: 'nothing answers there' });
      return { facts: [], problems: [unreachable] };
    }
    state.isControlPlaneReachable = true;
    const controlPlaneMs = Date.parse(page.date ?? '');
    if (Number.isFinite(controlPlaneMs)) state.clocks = { controlPlaneMs, localMs: nowMs() };
    const readiness = parseReadiness(page.text);
    if (page.status === 200)
      return { ...checkPassed(url, 'ready', ...describeStore(readiness)), problems: findClockProblems(url, readiness) };
    const reason = readiness.reason === undefined ? '' : `, ${readiness.reason}`;
    return { facts: [], problems: [createProblem('CONTROL_PLANE_NOT_READY', { url, status: page.status, reason })] };
  },
};

function parseReadiness(text: string): Static<typeof Readiness> {
  const value = tryParseJson(text);
  return Value.Check(Readiness, value) ? value : {};
}

function describeStore({ store, replica }: Static<typeof Readiness>): string[] {
  if (store?.engine === 'sqlite') return ['store: SQLite'];
  if (store?.engine !== 'postgresql') return [];
  return [...describePostgres(store), ...describeReplicas(replica)];
}

function describeReplicas(replica: Static<typeof Readiness>['replica']): string[] {
  if (replica?.live === undefined || replica.id === undefined) return [];
  return [`replicas: ${replica.live} live; ${replica.id} responds, ${replica.role}`];
}

function describePostgres(store: NonNullable<Static<typeof Readiness>['store']>): string[] {
  // A standby uses no stores.
  if (store.connections === undefined) return ['store: PostgreSQL'];
  const { used = 0, open = 0, waiting = 0 } = store.connections;
  const pooled = store.connection === 'pooled' ? ', through a pooler' : '';
  const facts = [`store: PostgreSQL${pooled}, ${used} of ${open} connections in use, ${waiting} operations waiting`];
  if (store.notices === undefined) return facts;
  const how = store.notices === 'hint' ? 'at once, by notifications' : 'by polling';
  return [...facts, `what other processes commit is noticed ${how}`];
}

function findClockProblems(url: string, { clock }: Static<typeof Readiness>): SetupProblem[] {
  return clock === 'jumped' ? [createProblem('CONTROL_PLANE_CLOCK_JUMPED', { url })] : [];
}
