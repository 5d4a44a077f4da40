/**
 * Where a page ended, as callers carry it. It is a place in what everybody may read anyway, so that changing one leads to
 * another place and to nothing else.
 */
import { vpError } from '../errors/vp-error.ts';

/** A version, by the order of lists. */
export type Place = { readonly name: string; readonly id: number };

/** As text. */
export function cursorOf({ name, id }: Place): string {
  return Buffer.from(`${id} ${name}`).toString('base64url');
}

/** Back again. Throws REQUEST_INVALID. */
export function placeOf(cursor: string): Place {
  const [, id = '', name = ''] =
    /^(\d{1,15}) ([\w./-]{1,200})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (name !== '') return { name, id: Number(id) };
  throw vpError('REQUEST_INVALID', { where: 'query parameter cursor', problem: 'is not one that was given out here' });
}
