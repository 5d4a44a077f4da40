import { type Static, Type } from '@sinclair/typebox';

/** Of several replicas of a control plane, one is active; `epoch` is the number of its term. */
export const ReplicaStateSchema = Type.Object({
  id: Type.String(),
  role: Type.Union([Type.Literal('active'), Type.Literal('standby')]),
  epoch: Type.Union([Type.Integer(), Type.Null()]),
  live: Type.Integer({ minimum: 0, description: 'replicas that have said within 5 s that they live' }),
  active: Type.Union([Type.String(), Type.Null()], { description: 'the id of the active replica' }),
});
export type ReplicaState = Static<typeof ReplicaStateSchema>;
