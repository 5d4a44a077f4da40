/** Calls of a hub that wait for an approval, under /api/v1/hubs/{hub}/approvals. */
import { type Static, Type } from '@sinclair/typebox';
import { nullable, Timestamp } from '../schemas.ts';

/**
 * `approved`: not used yet; `void`: it no longer holds, because its approver, the policy, the definition of the tool or its server changed;
 * `withdrawn`: the caller cancelled the call.
 */
const HubApprovalState = Type.Union([
  Type.Literal('pending'),
  Type.Literal('approved'),
  Type.Literal('denied'),
  Type.Literal('used'),
  Type.Literal('expired'),
  Type.Literal('withdrawn'),
  Type.Literal('void'),
]);
export type HubApprovalState = Static<typeof HubApprovalState>;

/** A held call. */
export const HubApproval = Type.Object({
  approval: Type.String(),
  state: HubApprovalState,
  connection: Type.String(),
  /** The server's own name of the tool. */
  tool: Type.String(),
  person_id: Type.String(),
  person: Type.String(),
  role: Type.Union([Type.Literal('owner'), Type.Literal('member'), Type.Literal('viewer')]),
  via: Type.Union([Type.Literal('token'), Type.Literal('grant'), Type.Literal('console')]),
  /** The token, or the OAuth client. */
  via_name: nullable(Type.String()),
  /** What the client says about itself, which nothing proves. */
  client: nullable(Type.String()),
  /** The arguments that the audit stores, on one line, shortened: for lists. Null if it stores none. */
  arguments_preview: nullable(Type.String()),
  requested_at: Timestamp,
  /** Until then it can be decided, and an approval be used. */
  expires_at: Timestamp,
  decided_at: nullable(Timestamp),
  decided_by: nullable(Type.String()),
  comment: nullable(Type.String()),
  ended_at: nullable(Timestamp),
  /** Whether the reader may decide it now. */
  may_decide: Type.Boolean(),
});
export type HubApproval = Static<typeof HubApproval>;

/** GET /hubs/{hub}/approvals: those that the reader may decide or has requested, newest first; owners see all. */
export const HubApprovalQuery = Type.Object({
  state: Type.Optional(Type.Union([Type.Literal('open'), Type.Literal('all')])),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500 })),
});
export type HubApprovalQuery = Static<typeof HubApprovalQuery>;

const EarlierApproval = Type.Object({
  approval: Type.String(),
  state: HubApprovalState,
  decided_at: nullable(Timestamp),
  decided_by: nullable(Type.String()),
  /** Whether it was for a call with the same arguments. */
  is_same_call: Type.Boolean(),
});

/** GET /hubs/{hub}/approvals/{approval}. */
export const HubApprovalDetails = Type.Object({
  ...HubApproval.properties,
  /** A decision names it: of everything that the server would get. */
  digest: Type.String(),
  /** Of the approved definition of the tool. */
  pin: Type.String(),
  policy_revision: Type.Integer(),
  /**
   * What the server would get, line by line with paths; characters that cannot be seen are marked as in definitions. Once the call can no
   * longer be sent, or for readers who may not decide it, what the audit stores.
   */
  lines: Type.Array(Type.String()),
  is_complete: Type.Boolean(),
  /** The characters that are marked, and how often. */
  marks: Type.Array(Type.Object({ character: Type.String(), count: Type.Integer({ minimum: 1 }) })),
  /** Earlier decisions about calls of this tool by this person, newest first. */
  earlier: Type.Array(EarlierApproval),
});
export type HubApprovalDetails = Static<typeof HubApprovalDetails>;

/** POST /hubs/{hub}/approvals/{approval}. An approval that was not used yet can be taken back with `deny`. */
export const DecideHubApprovalRequest = Type.Object({
  decision: Type.Union([Type.Literal('approve'), Type.Literal('deny')]),
  /** Of the call that was reviewed. */
  digest: Type.String({ minLength: 1, maxLength: 100 }),
  /** For the caller. */
  comment: Type.Optional(Type.String({ maxLength: 300 })),
});
export type DecideHubApprovalRequest = Static<typeof DecideHubApprovalRequest>;
