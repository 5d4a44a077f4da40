/** Several changes of a hub at once, under /api/v1/hubs/{hub}/changes: all of them are made, or none. */
import { type Static, Type } from '@sinclair/typebox';
import {
  CreateHubConnectionRequest,
  CreateHubRequest,
  HubDetails,
  SetHubMemberRequest,
  UpdateHubConnectionRequest,
  UpdateHubRequest,
} from './hubs-api.ts';
import { UpdateHubPolicyRequest } from './policy-api.ts';

const closed = { additionalProperties: false } as const;
const Id = Type.String({ minLength: 1, maxLength: 200 });

/** Each is the same as the request of its own. */
const HubChangeRequest = Type.Union([
  /** Only as the first one: the hub in the path is created, with the caller as its owner. */
  Type.Object({ kind: Type.Literal('create_hub'), name: CreateHubRequest.properties.name }, closed),
  Type.Object(
    { kind: Type.Literal('change_settings'), settings: Type.Omit(UpdateHubRequest, ['slug', 'if_settings'], closed) },
    closed,
  ),
  Type.Object({ kind: Type.Literal('set_member'), person_id: Id, role: SetHubMemberRequest.properties.role }, closed),
  Type.Object({ kind: Type.Literal('remove_member'), person_id: Id }, closed),
  Type.Object({ kind: Type.Literal('set_policy'), policy: UpdateHubPolicyRequest }, closed),
  Type.Object({ kind: Type.Literal('add_connection'), connection: CreateHubConnectionRequest }, closed),
  Type.Object(
    { kind: Type.Literal('change_connection'), connection_id: Id, connection: UpdateHubConnectionRequest },
    closed,
  ),
  Type.Object({ kind: Type.Literal('remove_connection'), connection_id: Id }, closed),
]);
export type HubChangeRequest = Static<typeof HubChangeRequest>;

/**
 * POST /hubs/{hub}/changes: made in this order in one transaction. HUB_CHANGE_REFUSED names the one that was refused in `diagnostics`
 * (`position` from 0, `code`, `message`, `cure`); none is made then. Neither is any where `if_revision` is not the revision of the hub, which
 * is compared in the same transaction: HUB_CHANGED, with the `expected` and the `actual` one in `diagnostics`. A hub that is to be created has none.
 */
export const MakeHubChangesRequest = Type.Object({
  if_revision: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  changes: Type.Array(HubChangeRequest, { minItems: 1, maxItems: 2000 }),
});
export type MakeHubChangesRequest = Static<typeof MakeHubChangesRequest>;

/** The hub after the changes; its `role` is `owner` if the caller has removed itself. */
export const MadeHubChanges = Type.Object({ hub: HubDetails, count: Type.Integer({ minimum: 1 }) });
export type MadeHubChanges = Static<typeof MadeHubChanges>;
