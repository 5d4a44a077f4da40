/**
 * From an entry of a registry to a connection of a hub: what people are asked for, and the body of the call that connects
 * (POST /hubs/{hub}/connections), which the server holds against the same rules as an address that somebody types.
 */
import type { HubConnectionNew } from './hub-api.ts';
import type { RegistryHeader, RegistryInput, RegistryRemote, RegistryServer } from './registry-api.ts';

/** Something that people are asked for. */
export type RemoteInput = {
  /** Names it among the inputs of its remote. */
  readonly key: string;
  readonly label: string;
  readonly description: string | undefined;
  readonly required: boolean;
  readonly secret: boolean;
  /** What stands where people give nothing. */
  readonly fallback: string | undefined;
  readonly placeholder: string | undefined;
  /** One of these, where there are any. */
  readonly choices: readonly string[];
};
type Template = { readonly text: string; readonly fixed: Readonly<Record<string, string>> };
/** A remote as it can be connected; one with a `problem` cannot. */
export type RemoteOffer = {
  readonly kind: 'http' | 'sse';
  /** See {@link remoteAddress}. */
  readonly url: string;
  readonly header: (Template & { readonly name: string; readonly required: boolean }) | undefined;
  readonly inputs: readonly RemoteInput[];
  readonly problem: string | undefined;
};
/** What people gave, by key; `signIn` where the server is signed in to in a browser. */
export type RemoteAnswers = {
  readonly name: string;
  readonly values: Readonly<Record<string, string>>;
  readonly signIn?: 'shared' | 'per_user' | undefined;
};
/** A body to send, or what is wrong with the answers: `key` is that of an input. */
export type RemoteConnection =
  | { readonly connection: HubConnectionNew; readonly problems?: undefined }
  | {
      readonly connection?: undefined;
      readonly problems: readonly { readonly key: string; readonly problem: string }[];
    };

/** `{name}` in addresses and in values of headers. */
export const remoteVariable = /\{([A-Za-z_][\w-]{0,99})\}/g;

function namesIn(text: string): readonly string[] {
  return [...new Set([...text.matchAll(remoteVariable)].map(([, name = '']) => name))];
}

function inputOf(key: string, label: string, input: RegistryInput | undefined, required: boolean): RemoteInput {
  return {
    key,
    label,
    description: input?.description,
    required: required || input?.isRequired === true,
    secret: input?.isSecret === true,
    fallback: input?.default,
    placeholder: input?.placeholder,
    choices: input?.choices ?? [],
  };
}

/** The variables of a template: those that are fixed, and those that are asked for. */
function variablesOf(
  text: string,
  declared: Readonly<Record<string, RegistryInput>>,
  { prefix, secret }: { readonly prefix: string; readonly secret: boolean },
): { fixed: Record<string, string>; inputs: RemoteInput[] } {
  const fixed: Record<string, string> = {};
  const inputs: RemoteInput[] = [];
  for (const name of namesIn(text)) {
    const input = Object.hasOwn(declared, name) ? declared[name] : undefined;
    if (input?.value !== undefined) fixed[name] = input.value;
    // An address or a header with a hole in it is none.
    else inputs.push({ ...inputOf(prefix + name, name, input, true), secret: secret || input?.isSecret === true });
  }
  return { fixed, inputs };
}

function headerOf(header: RegistryHeader): Pick<RemoteOffer, 'header' | 'inputs'> {
  const { name, value, isRequired = false, isSecret = false, variables = {} } = header;
  const key = `${name}/`;
  if (value === undefined) {
    const input = inputOf(`${key}value`, name, header, false);
    return { header: { name, text: '{value}', fixed: {}, required: isRequired }, inputs: [input] };
  }
  const { fixed, inputs } = variablesOf(value, variables, { prefix: key, secret: isSecret });
  const asked = inputs.map((input) => ({ ...input, required: isRequired }));
  return { header: { name, text: value, fixed, required: isRequired }, inputs: asked };
}

function offerOf({ type, url, headers = [], variables = {} }: RegistryRemote): RemoteOffer {
  const { inputs } = variablesOf(url, variables, { prefix: '', secret: false });
  const needed = headers.filter(({ isRequired, value }) => isRequired || value !== undefined);
  const chosen = needed[0] ?? headers[0];
  const header = chosen && headerOf(chosen);
  const problem =
    needed.length > 1
      ? `it needs ${needed.length} headers (${needed.map(({ name }) => name).join(', ')}), and a connection sends one`
      : undefined;
  return {
    kind: type === 'sse' ? 'sse' : 'http',
    url: remoteAddress({ url, variables }),
    header: header?.header,
    inputs: [...inputs, ...(header?.inputs ?? [])],
    problem,
  };
}

/** The remotes of a server as they can be connected, in the order in which it names them. */
export function remoteOffers({ remotes = [] }: Pick<RegistryServer, 'remotes'>): readonly RemoteOffer[] {
  return remotes.filter(({ type }) => type === 'streamable-http' || type === 'sse').map(offerOf);
}

/** A connection's name for a server: the last part of its own, in the letters that such names have. */
export function connectionNameFor(serverName: string): string {
  const last = serverName.split('/').at(-1) ?? '';
  const letters = last.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return letters.replaceAll(/^-+/g, '').slice(0, 24).replaceAll(/-+$/g, '') || 'server';
}

function filled(template: Template, values: ReadonlyMap<string, string>, written: (value: string) => string): string {
  return template.text.replaceAll(remoteVariable, (whole, name: string) => {
    const own = Object.hasOwn(template.fixed, name) ? template.fixed[name] : values.get(name);
    return own === undefined ? whole : written(own);
  });
}

function problemWith({ required, choices }: RemoteInput, value: string): string | undefined {
  if (value === '') return required ? 'is needed' : undefined;
  if (choices.length > 0 && !choices.includes(value)) return `must be one of ${choices.join(', ')}`;
  return undefined;
}

/** Half of a pair would have no form in an address. */
function escaped(value: string): string {
  return encodeURIComponent(value.toWellFormed());
}

/** Within an address a value stays what it is: it cannot open another path or another host, unless it is the address's begin. */
function addressWith(url: Template, values: ReadonlyMap<string, string>): string {
  const begins = /^\{[A-Za-z_][\w-]{0,99}\}/.exec(url.text)?.[0];
  if (begins === undefined) return filled(url, values, escaped);
  const first = filled({ ...url, text: begins }, values, (value) => value);
  return first + filled({ ...url, text: url.text.slice(begins.length) }, values, escaped);
}

/** The address of a remote as people have to see it: with its fixed values in place, and `{name}` where they are asked. */
export function remoteAddress({ url, variables = {} }: Pick<RegistryRemote, 'url' | 'variables'>): string {
  const { fixed } = variablesOf(url, variables, { prefix: '', secret: false });
  return addressWith({ text: url, fixed }, new Map());
}

/** What to send for the answers. */
export function connectionFrom(offer: RemoteOffer, { name, values, signIn }: RemoteAnswers): RemoteConnection {
  const { header, inputs, kind } = offer;
  const given = new Map(
    inputs.map((input) => {
      const value = Object.hasOwn(values, input.key) ? values[input.key]?.trim() : undefined;
      return [input.key, value || input.fallback || ''] as const;
    }),
  );
  const problems = inputs.flatMap((input) => {
    const value = given.get(input.key) ?? '';
    const isDots = !input.key.includes('/') && /^\.{1,2}$/.test(value);
    const problem = isDots ? 'would lead to another path' : problemWith(input, value);
    return problem === undefined ? [] : [{ key: input.key, problem }];
  });
  if (offer.problem !== undefined) return { problems: [{ key: '', problem: offer.problem }] };
  if (problems.length > 0) return { problems };
  const ofHeader = header && inputs.filter(({ key }) => key.startsWith(`${header.name}/`));
  const isSent = ofHeader?.every(({ key }) => given.get(key) !== '') ?? false;
  const byName = new Map(ofHeader?.map(({ key }) => [key.slice(key.indexOf('/') + 1), given.get(key) ?? '']));
  const target = { name, kind, url: addressWith({ text: offer.url, fixed: {} }, given) };
  if (header && isSent) {
    const value = filled(header, byName, (text) => text);
    return { connection: { ...target, credential: { kind: 'header', header: header.name, value } } };
  }
  if (signIn !== undefined) return { connection: { ...target, credential: { kind: 'oauth', sharing: signIn } } };
  return { connection: target };
}
