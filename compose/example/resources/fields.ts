/** What a field of a create request may hold. */
import type { Value } from '../storage/database.ts';

/** A value that can be stored, or what is wrong with it. */
export type Parsed = { readonly value: Value } | { readonly problem: string };

/** A field: how to read it, whether it must be sent, and the resource whose id it is, if it is one. */
export type Field = {
  readonly required: boolean;
  readonly parse: (sent: unknown) => Parsed;
  readonly references?: string;
};

// PostgreSQL cannot store NUL, UTF-8 has no lone surrogates, and no field needs the other control characters.
const unstorable = /[\p{Cc}\p{Cs}]/u;

/** Text of 1 to `maxLength` UTF-16 units, not only blanks, without control characters. */
export function textField(maxLength: number): Field {
  const parse = (sent: unknown): Parsed => {
    if (typeof sent !== 'string') return { problem: 'must be text' };
    if (sent.trim() === '' || sent.length > maxLength) return { problem: `must have 1 to ${maxLength} characters` };
    if (unstorable.test(sent)) return { problem: 'must not contain control characters or half surrogate pairs' };
    return { value: sent };
  };
  return { required: true, parse };
}

/** Roughly a mail address: text with one @. */
export function mailAddressField(): Field {
  const base = textField(254);
  const parse = (sent: unknown): Parsed => {
    const parsed = base.parse(sent);
    if ('problem' in parsed || /^[^\s@]+@[^\s@]+$/.test(String(parsed.value))) return parsed;
    return { problem: 'must be a mail address' };
  };
  return { required: true, parse };
}

export function integerField(min: number, max: number): Field {
  const parse = (sent: unknown): Parsed => {
    const fits = typeof sent === 'number' && Number.isInteger(sent) && sent >= min && sent <= max;
    return fits ? { value: sent } : { problem: `must be a whole number from ${min} to ${max}` };
  };
  return { required: true, parse };
}

/** The id of an existing row of `resource`. */
export function referenceField(resource: string): Field {
  return { ...textField(64), references: resource };
}

/** The same field, which may be omitted or null. */
export function optionalField(field: Field): Field {
  const parse = (sent: unknown): Parsed => (sent === null ? { value: null } : field.parse(sent));
  return { ...field, required: false, parse };
}
