/** Several scenario texts in one call. */
import { Type } from '@sinclair/typebox';

export const TextsInput = Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: 50 }));
