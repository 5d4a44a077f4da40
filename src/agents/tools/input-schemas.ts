/**
 * Schemas that several tools share. Lengths are omitted where the control plane checks them, because the size of the
 * definitions is limited.
 */
import { Type } from '@sinclair/typebox';

export const RunIdInput = Type.String();
export const ScenarioIdInput = Type.String();
/** Cursor of the next page, from the previous result. */
export const CursorInput = Type.Optional(Type.String());
/** Offset of the next piece of a long text, from the previous result. */
export const OffsetInput = Type.Optional(Type.Integer({ minimum: 0 }));
export const LimitInput = Type.Optional(Type.Integer({ minimum: 1, maximum: 50 }));
export const defaultItemLimit = 20;
