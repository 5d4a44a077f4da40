/** What the control plane runs on: /api/v1/system, and the part of it that /readyz tells everybody. */
import { type Static, Type } from '@sinclair/typebox';
import { nullable, Timestamp } from './schemas.ts';

const Count = Type.Integer({ minimum: 0 });

const storeMembers = {
  engine: Type.Union([Type.Literal('sqlite'), Type.Literal('postgresql')]),
  connection: Type.Optional(
    Type.Union([Type.Literal('direct'), Type.Literal('pooled')], {
      description: 'With PostgreSQL: `pooled` when a pooler such as PgBouncer stands between',
    }),
  ),
  connections: Type.Optional(
    Type.Object(
      { used: Count, open: Count, waiting: Count },
      { description: 'With PostgreSQL: of this process; `waiting` are operations without one' },
    ),
  ),
  notices: Type.Optional(
    Type.Union([Type.Literal('hint'), Type.Literal('polling')], {
      description: 'With PostgreSQL: how commits of other processes are noticed; `hint`: within milliseconds',
    }),
  ),
};

/** Neither the address nor the version: anyone may read it. */
export const StoreSummary = Type.Object(storeMembers);
export type StoreSummary = Static<typeof StoreSummary>;

const SystemStore = Type.Object({
  ...storeMembers,
  server_version: nullable(Type.String({ description: 'of PostgreSQL' })),
});

/** A replica that has said within five seconds that it lives. */
const SystemReplica = Type.Object({
  id: Type.String(),
  role: Type.Union([Type.Literal('active'), Type.Literal('standby')]),
  version: Type.String(),
  address: Type.String({ description: 'where the other replicas reach it' }),
  started_at: Timestamp,
  heartbeat_at: Type.String({ format: 'date-time', description: 'by the clock of the database' }),
});
export type SystemReplica = Static<typeof SystemReplica>;

export const SystemState = Type.Object({
  version: Type.String({ description: 'of the control plane that responds' }),
  store: SystemStore,
  replication: nullable(
    Type.Object({
      id: Type.String({ description: 'the replica that responds: the active one' }),
      epoch: nullable(Count),
      replicas: Type.Array(SystemReplica, {
        description: 'those that live, the one that was started first before the others',
      }),
    }),
  ),
});
export type SystemState = Static<typeof SystemState>;
