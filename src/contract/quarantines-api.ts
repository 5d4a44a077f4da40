/** Scenarios whose failures do not count for a while: /api/v1/instances/{instance}/quarantines. */
import { type Static, Type } from '@sinclair/typebox';
import { maxQuarantineOwnerLength, maxQuarantineReasonLength } from './quarantine-limits.ts';
import { ScenarioId, Timestamp } from './schemas.ts';

/** A quarantine that is in effect. */
export const Quarantine = Type.Object({
  scenario_id: ScenarioId,
  until: Timestamp,
  /** Begun days until then, by the clock of the control plane. */
  days_left: Type.Integer({ minimum: 0 }),
  reason: Type.String(),
  /** Who looks after it. */
  owner: Type.String(),
  created_by: Type.String(),
  created_at: Timestamp,
});
export type Quarantine = Static<typeof Quarantine>;

/** Replaces an earlier one. Without `owner`: the `Owner:` of the scenario, else the caller. */
export const SetQuarantineRequest = Type.Object({
  until: Timestamp,
  reason: Type.String({ minLength: 1, maxLength: maxQuarantineReasonLength }),
  owner: Type.Optional(Type.String({ minLength: 1, maxLength: maxQuarantineOwnerLength })),
});
export type SetQuarantineRequest = Static<typeof SetQuarantineRequest>;
