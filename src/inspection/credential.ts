/** How a request authenticates, before there is a config: the header that is sent, and how config and scenario write it. */

/** `name` is the variable of the `.env` that holds `value`; for `basic` that is the encoded `user:password` (RFC 7617). */
export type TargetCredential = {
  readonly kind: 'bearer' | 'basic' | 'header';
  readonly header: string;
  readonly name: string;
  readonly value: string;
};

const schemes = { bearer: 'Bearer ', basic: 'Basic ', header: '' } as const;

export function createBearerCredential(token: string): TargetCredential {
  return { kind: 'bearer', header: 'Authorization', name: 'API_TOKEN', value: token };
}

/** `userAndPassword` is `user:password`. */
export function createBasicCredential(userAndPassword: string): TargetCredential {
  const value = Buffer.from(userAndPassword, 'utf8').toString('base64');
  return { kind: 'basic', header: 'Authorization', name: 'BASIC_CREDENTIALS', value };
}

/** A key in a header of its own, such as `X-Api-Key`. */
export function createHeaderCredential(header: string, value: string): TargetCredential {
  return { kind: 'header', header, name: 'API_KEY', value };
}

/** The header line as sent. */
export function toHeaderLine({ kind, header, value }: TargetCredential): readonly [name: string, value: string] {
  return [header, `${schemes[kind]}${value}`];
}

/** The header line of a scenario; undefined for a bearer token, which the config sends. */
export function toScenarioHeader({ kind, header, name }: TargetCredential): readonly [string, string] | undefined {
  return kind === 'bearer' ? undefined : [header, `${schemes[kind]}\${${name}}`];
}
