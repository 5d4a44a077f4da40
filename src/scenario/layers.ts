/** What a scenario may look at: its `Layer`. */
import { suggestion } from '../errors/suggestion.ts';

/** A layer. Checks of the log and the database need a layer that has them; the response is judged in every layer. */
export type LayerDefinition = { readonly name: string; readonly database: boolean; readonly log: boolean };

/** The table. */
export const layers = [
  { name: 'HTTP Ingestion', database: false, log: false },
  { name: 'HTTP Ingestion + Database', database: true, log: false },
  { name: 'HTTP Ingestion + Log', database: false, log: true },
  { name: 'HTTP Ingestion + Database + Log', database: true, log: true },
] as const satisfies readonly LayerDefinition[];

/** A name of {@link layers}. */
export type Layer = (typeof layers)[number]['name'];

/** What a layer has. */
export function layerOf(name: Layer): LayerDefinition {
  return layers.find((layer) => layer.name === name) ?? layers[0];
}

/** The layer that has exactly these. */
export function layerWith(database: boolean, log: boolean): Layer {
  return (layers.find((layer) => layer.database === database && layer.log === log) ?? layers[0]).name;
}

/** The layer meant by `written`: capitals, spaces and the order of what is added do not matter. */
export function layerNamed(written: string): Layer | undefined {
  const [base, ...added] = written.toLowerCase().split('+');
  if (base?.trim().replaceAll(/\s+/g, ' ') !== 'http ingestion' || added.length > 2) return undefined;
  const parts = new Set(added.map((part) => part.trim()));
  const [database, log] = [parts.has('database'), parts.has('log')];
  return Number(database) + Number(log) === added.length ? layerWith(database, log) : undefined;
}

/** Words that people write for what a layer has. */
const otherWords: Readonly<Record<string, string>> = {
  db: 'database',
  sql: 'database',
  postgres: 'database',
  postgresql: 'database',
  logging: 'log',
  http: 'http ingestion',
};

function partMeant(written: string): string | undefined {
  const word = written.trim().replaceAll(/\s+/g, ' ');
  return otherWords[word] ?? suggestion(word, ['http ingestion', 'database', 'log']);
}

/** The layer that was probably meant by `written`, which is none. */
export function layerMeant(written: string): Layer | undefined {
  if (written.length > 100) return undefined;
  const words = written.toLowerCase().split(/[+,&/]|\band\b/);
  const parts = words.filter((word) => word.trim() !== '').map(partMeant);
  if (parts.length === 0 || parts.includes(undefined)) return undefined;
  return layerWith(parts.includes('database'), parts.includes('log'));
}
