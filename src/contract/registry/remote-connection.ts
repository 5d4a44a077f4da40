/**
 * From an entry of a registry to a connection of a hub: the inputs that people fill in, and the body of the request that
 * connects (POST /hubs/{hub}/connections), which the server validates like any other connection.
 */
import type { CreateHubConnectionRequest } from '../hubs/hubs-api.ts';
import type { RegistryHeader, RegistryInput, RegistryRemote, RegistryServer } from './registry-api.ts';

/** An input that people fill in. */
export type RemoteInput = {
  /** Unique among the inputs of its remote. */
  readonly key: string;
  readonly label: string;
  readonly description: string | undefined;
  readonly required: boolean;
  readonly secret: boolean;
  /** Value used when the input is empty. */
  readonly fallback: string | undefined;
  readonly placeholder: string | undefined;
  /** Allowed values; any value when empty. */
  readonly choices: readonly string[];
};
type Template = { readonly text: string; readonly fixed: Readonly<Record<string, string>> };
/** A remote that can be connected unless it has a `problem`. */
export type RemoteOffer = {
  readonly kind: 'http' | 'sse';
  readonly url: string;
  readonly header: (Template & { readonly name: string; readonly required: boolean }) | undefined;
  readonly inputs: readonly RemoteInput[];
  readonly problem: string | undefined;
};
/** Entered values by key; `signIn` for a server with sign-in in the browser. */
export type RemoteInputValues = {
  readonly name: string;
  readonly values: Readonly<Record<string, string>>;
  readonly signIn?: 'shared' | 'per_user' | undefined;
};
/** A body to send, or what is wrong with the values; `key` is that of an input. */
export type RemoteConnectionResult =
  | { readonly connection: CreateHubConnectionRequest; readonly problems?: undefined }
  | {
      readonly connection?: undefined;
      readonly problems: readonly { readonly key: string; readonly problem: string }[];
    };

/** `{name}` in URLs and in values of headers. */
export const remoteVariablePattern = /\{([A-Za-z_][\w-]{0,99})\}/g;

function listVariableNames(text: string): readonly string[] {
  return [...new Set([...text.matchAll(remoteVariablePattern)].map(([, name = '']) => name))];
}

function toRemoteInput(key: string, label: string, input: RegistryInput | undefined, required: boolean): RemoteInput {
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

/** The variables of a template: fixed values, and inputs. */
function parseVariables(
  text: string,
  declared: Readonly<Record<string, RegistryInput>>,
  { prefix, secret }: { readonly prefix: string; readonly secret: boolean },
): { fixed: Record<string, string>; inputs: RemoteInput[] } {
  const fixed: Record<string, string> = {};
  const inputs: RemoteInput[] = [];
  for (const name of listVariableNames(text)) {
    const input = Object.hasOwn(declared, name) ? declared[name] : undefined;
    if (input?.value !== undefined) fixed[name] = input.value;
    // A URL or header with an empty variable is not usable, so every variable is required.
    else
      inputs.push({ ...toRemoteInput(prefix + name, name, input, true), secret: secret || input?.isSecret === true });
  }
  return { fixed, inputs };
}

function toHeaderOffer(header: RegistryHeader): Pick<RemoteOffer, 'header' | 'inputs'> {
  const { name, value, isRequired = false, isSecret = false, variables = {} } = header;
  const key = `${name}/`;
  if (value === undefined) {
    const input = toRemoteInput(`${key}value`, name, header, false);
    return { header: { name, text: '{value}', fixed: {}, required: isRequired }, inputs: [input] };
  }
  const { fixed, inputs } = parseVariables(value, variables, { prefix: key, secret: isSecret });
  const headerInputs = inputs.map((input) => ({ ...input, required: isRequired }));
  return { header: { name, text: value, fixed, required: isRequired }, inputs: headerInputs };
}

function toRemoteOffer({ type, url, headers = [], variables = {} }: RegistryRemote): RemoteOffer {
  const { inputs } = parseVariables(url, variables, { prefix: '', secret: false });
  const requiredHeaders = headers.filter(({ isRequired, value }) => isRequired || value !== undefined);
  const selectedHeader = requiredHeaders[0] ?? headers[0];
  const header = selectedHeader && toHeaderOffer(selectedHeader);
  const problem =
    requiredHeaders.length > 1
      ? `it needs ${requiredHeaders.length} headers (${requiredHeaders.map(({ name }) => name).join(', ')}), and a connection sends one`
      : undefined;
  return {
    kind: type === 'sse' ? 'sse' : 'http',
    url: formatRemoteUrl({ url, variables }),
    header: header?.header,
    inputs: [...inputs, ...(header?.inputs ?? [])],
    problem,
  };
}

/** Remotes of supported types, in the order of server.json. */
export function listRemoteOffers({ remotes = [] }: Pick<RegistryServer, 'remotes'>): readonly RemoteOffer[] {
  return remotes.filter(({ type }) => type === 'streamable-http' || type === 'sse').map(toRemoteOffer);
}

/** A valid connection name from the last segment of a server's name. */
export function toConnectionName(serverName: string): string {
  const lastSegment = serverName.split('/').at(-1) ?? '';
  const letters = lastSegment.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return letters.replaceAll(/^-+/g, '').slice(0, 24).replaceAll(/-+$/g, '') || 'server';
}

function fillTemplate(
  template: Template,
  values: ReadonlyMap<string, string>,
  format: (value: string) => string,
): string {
  return template.text.replaceAll(remoteVariablePattern, (placeholder, name: string) => {
    const value = Object.hasOwn(template.fixed, name) ? template.fixed[name] : values.get(name);
    return value === undefined ? placeholder : format(value);
  });
}

function validateInput({ required, choices }: RemoteInput, value: string): string | undefined {
  if (value === '') return required ? 'is required' : undefined;
  if (choices.length > 0 && !choices.includes(value)) return `must be one of ${choices.join(', ')}`;
  return undefined;
}

/** A lone surrogate cannot be encoded in a URL. */
function escapeUrlPart(value: string): string {
  return encodeURIComponent(value.toWellFormed());
}

/** Values are escaped, so that they cannot change path or host; only a variable at the start may hold a whole base URL. */
function fillUrl(url: Template, values: ReadonlyMap<string, string>): string {
  const prefixVariable = /^\{[A-Za-z_][\w-]{0,99}\}/.exec(url.text)?.[0];
  if (prefixVariable === undefined) return fillTemplate(url, values, escapeUrlPart);
  const first = fillTemplate({ ...url, text: prefixVariable }, values, (value) => value);
  return first + fillTemplate({ ...url, text: url.text.slice(prefixVariable.length) }, values, escapeUrlPart);
}

/** The URL of a remote for display: with its fixed values, and `{name}` for each input. */
export function formatRemoteUrl({ url, variables = {} }: Pick<RegistryRemote, 'url' | 'variables'>): string {
  const { fixed } = parseVariables(url, variables, { prefix: '', secret: false });
  return fillUrl({ text: url, fixed }, new Map());
}

export function buildConnectionRequest(
  offer: RemoteOffer,
  { name, values, signIn }: RemoteInputValues,
): RemoteConnectionResult {
  const { header, inputs, kind } = offer;
  const valuesByKey = new Map(
    inputs.map((input) => {
      const value = Object.hasOwn(values, input.key) ? values[input.key]?.trim() : undefined;
      return [input.key, value || input.fallback || ''] as const;
    }),
  );
  const problems = inputs.flatMap((input) => {
    const value = valuesByKey.get(input.key) ?? '';
    const isDots = !input.key.includes('/') && /^\.{1,2}$/.test(value);
    const problem = isDots ? 'would lead to another path' : validateInput(input, value);
    return problem === undefined ? [] : [{ key: input.key, problem }];
  });
  if (offer.problem !== undefined) return { problems: [{ key: '', problem: offer.problem }] };
  if (problems.length > 0) return { problems };
  const headerInputs = header && inputs.filter(({ key }) => key.startsWith(`${header.name}/`));
  const hasAllHeaderValues = headerInputs?.every(({ key }) => valuesByKey.get(key) !== '') ?? false;
  const byName = new Map(headerInputs?.map(({ key }) => [key.slice(key.indexOf('/') + 1), valuesByKey.get(key) ?? '']));
  const target = { name, kind, url: fillUrl({ text: offer.url, fixed: {} }, valuesByKey) };
  if (header && hasAllHeaderValues) {
    const value = fillTemplate(header, byName, (text) => text);
    return { connection: { ...target, credential: { kind: 'header', header: header.name, value } } };
  }
  if (signIn !== undefined) return { connection: { ...target, credential: { kind: 'oauth', sharing: signIn } } };
  return { connection: target };
}
