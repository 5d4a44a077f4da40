/** What a field of a create request may hold. */
import type { Value } from '../storage/database.ts';

/** A value that may be stored, or what is wrong with what was sent. */
export type Parsed = { readonly value: Value } | { readonly problem: string };

/** A field: how to read it, whether it must be sent, and the resource whose id it is, if it is one. */
export type Field = {
  readonly required: boolean;
  readonly parse: (sent: unknown) => Parsed;
  readonly references?: string;
};

// PostgreSQL stores no NUL, UTF-8 has no lone surrogates, and no field here has a use for the other control characters.
const unstorable = /[\p{Cc}\p{Cs}]/u;

/** Text of 1 to `longest` UTF-16 units, not only blanks, without control characters. */
export function text(longest: number): Field {
  const parse = (sent: unknown): Parsed => {
    if (typeof sent !== 'string') return { problem: 'must be text' };
    if (sent.trim() === '' || sent.length > longest) return { problem: `must have 1 to ${longest} characters` };
    if (unstorable.test(sent)) return { problem: 'must not hold control characters or half surrogate pairs' };
    return { value: sent };
  };
  return { required: true, parse };
}

/** A mail address, as far as one can tell without sending to it. */
export function mailAddress(): Field {
  const plain = text(254);
  const parse = (sent: unknown): Parsed => {
    const parsed = plain.parse(sent);
    if ('problem' in parsed || /^[^\s@]+@[^\s@]+$/.test(String(parsed.value))) return parsed;
    return { problem: 'must be a mail address' };
  };
  return { required: true, parse };
}

/** A whole number from `least` to `most`. */
export function wholeNumber(least: number, most: number): Field {
  const parse = (sent: unknown): Parsed => {
    const fits = typeof sent === 'number' && Number.isInteger(sent) && sent >= least && sent <= most;
    return fits ? { value: sent } : { problem: `must be a whole number from ${least} to ${most}` };
  };
  return { required: true, parse };
}

/** The id of an existing row of `resource`. */
export function idOf(resource: string): Field {
  return { ...text(64), references: resource };
}

/** The same field, which may be left out or null. */
export function optional(field: Field): Field {
  const parse = (sent: unknown): Parsed => (sent === null ? { value: null } : field.parse(sent));
  return { ...field, required: false, parse };
}
