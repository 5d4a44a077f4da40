/** A server.json as its schema of 2025-12-11 has it, and all that is wrong with one that is none. */
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import type { RegistryServer } from '../contract/registry-api.ts';
import { assetText } from '../environment/asset.ts';
import { kindAt } from './document-kinds.ts';
import { ruleProblems } from './document-rules.ts';
import { plainTextProblems } from './document-text.ts';

/** Where in a document, as `.remotes[0].url` (empty for all of it), and what is wrong there. */
export type DocumentProblem = { readonly where: string; readonly problem: string };

type Icon = { readonly src: string };
type Argument = { readonly type: string; readonly name?: string; readonly valueHint?: string };
type Package = {
  readonly registryType: string;
  readonly registryBaseUrl?: string;
  readonly identifier: string;
  readonly version?: string;
  readonly transport: { readonly type: string; readonly url?: string };
  readonly runtimeArguments?: readonly Argument[];
  readonly packageArguments?: readonly Argument[];
  readonly environmentVariables?: readonly { readonly name: string }[];
};
/** What the schema accepts. */
export type ServerDocument = Omit<RegistryServer, 'packages' | 'repository'> & {
  readonly repository?: { readonly url: string; readonly source: string; readonly subfolder?: string };
  readonly icons?: readonly Icon[];
  readonly packages?: readonly Package[];
  readonly _meta?: Readonly<Record<string, unknown>>;
};

/** What documents name as their schema. */
export const schemaUrl = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';
const shownProblems = 100;

let compiled: ValidateFunction<ServerDocument> | undefined;

function fits(value: unknown): value is ServerDocument {
  compiled ??= compile();
  return compiled(value);
}

function compile(): ValidateFunction<ServerDocument> {
  const ajv = new Ajv({ allErrors: true, strict: false });
  // The quick ones look at each character once, whatever somebody sends.
  addFormats.default(ajv, { mode: 'fast', formats: ['uri'] });
  return ajv.compile<ServerDocument>(JSON.parse(assetText('src/registry/server-schema.json')));
}

/** A document that may be published, or everything that is wrong with it (bounded). */
export function readDocument(value: unknown): { document: ServerDocument } | { problems: readonly DocumentProblem[] } {
  const problems = plainTextProblems(value);
  // What nests without end, or hides characters, is not looked at further.
  if (problems.length > 0) return { problems: problems.slice(0, shownProblems) };
  if (!fits(value)) return { problems: told(compiled?.errors ?? [], value).slice(0, shownProblems) };
  const broken = ruleProblems(value);
  return broken.length > 0 ? { problems: broken.slice(0, shownProblems) } : { document: value };
}

function placeOf(pointer: string): string {
  const tokens = pointer.split('/').slice(1);
  return tokens.map((token) => (/^\d+$/.test(token) ? `[${token}]` : `.${token.replaceAll('~1', '/')}`)).join('');
}

/** What the patterns of the schema mean. */
const patternWords: ReadonlyMap<unknown, string> = new Map([
  ['^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$', 'must be a domain, reversed, then a slash and a name: com.example/server'],
  ['^https?://[^\\s]+$', 'must be an https address, without spaces'],
  ['^[a-f0-9]{64}$', 'must be a SHA-256 in 64 small hexadecimal digits'],
  ['^(\\d+x\\d+|any)$', 'must be a size such as 48x48, or any'],
]);

function sentenceOf({ keyword, params, message }: ErrorObject): string {
  if (keyword === 'required') return `lacks \`${params.missingProperty}\``;
  if (keyword === 'enum') return `must be one of ${params.allowedValues.join(', ')}`;
  if (keyword === 'maxLength') return `has more than ${params.limit} characters`;
  if (keyword === 'minLength') return `has fewer than ${params.limit} characters`;
  if (keyword === 'pattern') return patternWords.get(params.pattern) ?? `must match ${params.pattern}`;
  if (keyword === 'type') return `must be ${/^[aeiou]/.test(params.type) ? 'an' : 'a'} ${params.type}`;
  return message ?? `breaks the rule ${keyword}`;
}

/** Each problem once, without the sums that a choice adds, and without what other kinds of things would need. */
function told(errors: readonly ErrorObject[], value: unknown): readonly DocumentProblem[] {
  const shown = errors.flatMap((error): DocumentProblem[] => {
    const kind = kindAt(error.instancePath, value);
    if (kind && !kind.isKnown)
      return [{ where: `${placeOf(kind.path)}.type`, problem: `must be one of ${kind.words}` }];
    if (error.keyword === 'anyOf' || kind?.isOther(error)) return [];
    return [{ where: placeOf(error.instancePath), problem: sentenceOf(error) }];
  });
  return [...new Map(shown.map((one) => [`${one.where} ${one.problem}`, one])).values()];
}
