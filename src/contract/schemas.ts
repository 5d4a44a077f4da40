/** Schemas that the others share. JSON on the wire is snake_case; timestamps are RFC 3339 in UTC. */
import { type Static, Type } from '@sinclair/typebox';
import { runOrigins } from '../run/run-request.ts';
import { runStates } from '../run/state.ts';
import { maxTargetVersionLength, targetVersionPattern } from '../run/target-version.ts';
import { maxCompleteLength } from '../scenario/text-limits.ts';

/** Lowercase letters, digits and hyphens, at most 22 characters (spec, Instance). */
export const instanceIdPattern = '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$';
export const maxInstanceIdLength = 22;
export const InstanceId = Type.String({ pattern: instanceIdPattern, minLength: 1, maxLength: maxInstanceIdLength });
/** A scenario's `ID`. */
export const ScenarioId = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$', minLength: 1, maxLength: 100 });
/** A run id (spec, Run and report). */
export const RunIdSchema = Type.String({ pattern: '^\\d{8}T\\d{9}$' });

/** A request for several scenarios: `s` and the time of the request, like a run id. */
export const SuiteId = Type.String({ pattern: '^s\\d{8}T\\d{9}$' });

export const TargetVersion = Type.String({
  minLength: 1,
  maxLength: maxTargetVersionLength,
  pattern: targetVersionPattern,
});

/** A group of failures of one instance. */
export const FailureId = Type.String({ pattern: '^[0-9a-f]{16}$' });

/** With the files that it uses. */
export const ScenarioText = Type.String({ minLength: 1, maxLength: maxCompleteLength });
/** RFC 3339, UTC. */
export const Timestamp = Type.String({ format: 'date-time' });
/** A quarantine of `run/quarantine.ts`. */
export const RunQuarantineSchema = Type.Object({ until: Timestamp, reason: Type.String(), owner: Type.String() });
/** A state of `run/state.ts`. */
export const RunStateSchema = Type.Union(runStates.map((state) => Type.Literal(state)));
/** An origin of `run/run-request.ts`. */
export const RunOriginSchema = Type.Union(runOrigins.map((origin) => Type.Literal(origin)));

/** A schema or null. */
export function nullable<T extends import('@sinclair/typebox').TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()]);
}

/** Problem details (RFC 9457) with our code and fix (`cure`); `diagnostics` for a refused text. */
export const Problem = Type.Object({
  type: Type.String(),
  title: Type.String(),
  status: Type.Integer(),
  code: Type.String(),
  detail: Type.String(),
  cure: Type.String(),
  values: Type.Optional(Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]))),
  diagnostics: Type.Optional(Type.Array(Type.Any())),
});
export type Problem = Static<typeof Problem>;
