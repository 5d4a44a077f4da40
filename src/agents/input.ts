/** Schemas that several tools share. No lengths where the control plane checks them: definitions have a budget. */
import { Type } from '@sinclair/typebox';

/** A run's id. */
export const RunIdInput = Type.String();
/** A scenario's ID. */
export const ScenarioIdInput = Type.String();
/** Where a listing goes on, as the answer before said. */
export const CursorInput = Type.Optional(Type.String());
/** Where a long text goes on, as the answer before said. */
export const OffsetInput = Type.Optional(Type.Integer({ minimum: 0 }));
/** How many entries. */
export const LimitInput = Type.Optional(Type.Integer({ minimum: 1, maximum: 50 }));
/** Entries of a listing, unless it was said otherwise. */
export const usualLimit = 20;
