/** Header lines with variables that existing scenarios have, such as a key: a new scenario needs them too. */
import type { ProjectConfig } from '../../project/project-config.ts';
import type { HeaderList } from '../../run/evidence.ts';
import { formatTemplate } from '../../scenario/format-template.ts';
import type { Scenario } from '../../scenario/scenario.ts';

/** One per name, as the first scenario has it; the request id is not among them. */
export function collectSharedHeaders(
  files: readonly { readonly scenario: Scenario | undefined }[],
): readonly (readonly [string, string])[] {
  const headers = new Map<string, readonly [string, string]>();
  for (const { scenario } of files) {
    for (const { name, value } of scenario?.trigger.headers ?? []) {
      const hasVariable = value.parts.some((part) => 'placeholder' in part && part.placeholder !== 'correlation_id');
      const key = name.toLowerCase();
      if (hasVariable && !headers.has(key)) headers.set(key, [name, formatTemplate(value)]);
    }
  }
  return [...headers.values()];
}

/** The values for requests that are sent without a scenario, and the bearer token of the config. */
export function fillHeaders(headers: HeaderList, { targets, scenarioVariables }: ProjectConfig): HeaderList {
  const bearer = targets.auth?.bearerToken.reveal();
  const filled = headers.map(([name, value]) => {
    const text = value.replaceAll(/\$\{(\w+)\}/g, (reference, variable: string) => {
      return scenarioVariables.get(variable)?.reveal() ?? reference;
    });
    return [name, text] as const;
  });
  return [...(bearer === undefined ? [] : [['Authorization', `Bearer ${bearer}`] as const]), ...filled];
}
