/** Definitions of tools as an upstream server declares them. */
import type { HubTool } from '../../../contract/hubs/policy-api.ts';
import { isObject } from '../../../json/json-object.ts';

type Annotations = Readonly<Record<string, unknown>> | null;

export function isDestructiveTool(annotations: Annotations): boolean {
  return annotations?.readOnlyHint !== true && annotations?.destructiveHint === true;
}

/** Empty if the server declares no effect. */
export function describeEffect(annotations: Annotations): string {
  if (annotations?.readOnlyHint === true) return 'read-only';
  if (isDestructiveTool(annotations)) return 'may destroy data';
  return annotations?.readOnlyHint === false ? 'makes changes' : '';
}

export type ToolDescription = {
  readonly title: string;
  readonly description: string;
  readonly annotations: Readonly<Record<string, unknown>> | null;
};

function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? { ...value } : {};
}

/** Reads the approved definition, or the one waiting for approval. Members of the wrong type are dropped. */
export function readToolDefinition({ approved, waiting }: Pick<HubTool, 'approved' | 'waiting'>): ToolDescription {
  const { title, description, annotations } = toRecord(approved ?? waiting);
  return {
    title: typeof title === 'string' ? title : '',
    description: typeof description === 'string' ? description : '',
    annotations: annotations === undefined || annotations === null ? null : toRecord(annotations),
  };
}
