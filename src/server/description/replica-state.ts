import { type Static, Type } from '@sinclair/typebox';

/** Of several replicas of a control plane, one is active; `epoch` is the number of its term. */
export const ReplicaStateSchema = Type.Object({
  id: Type.String(),
  role: Type.Union([Type.Literal('active'), Type.Literal('standby')]),
  epoch: Type.Union([Type.Integer(), Type.Null()]),
  active: Type.Union([Type.String(), Type.Null()], { description: 'the id of the active replica' }),
});
export type ReplicaState = Static<typeof ReplicaStateSchema>;
