/** A catalogue of a hub with many connections, and labelled questions about it. */
import type { Tool } from '@modelcontextprotocol/server';
import { toPublicName } from '../../../../src/hub/gateway/public-names.ts';
import type { SearchableTool } from '../../../../src/hub/tool-search/tool-index.ts';
import { blindQuestionLines } from './blind-questions.ts';
import { developmentTools } from './development-tools.ts';
import { questionLines } from './questions.ts';
import { workTools } from './work-tools.ts';

export type Question = { readonly query: string; readonly expected: readonly string[] };

export function createCatalogue(): SearchableTool[] {
  let connection = '';
  const tools: SearchableTool[] = [];
  for (const line of `${developmentTools}${workTools}`.split('\n').filter((text) => text !== '')) {
    const [name = '', description, parameters = ''] = line.split('|').map((text) => text.trim());
    if (description === undefined) connection = name;
    else tools.push(createEntry(connection, name, description, parameters));
  }
  return tools;
}

function createEntry(connection: string, name: string, description: string, parameters: string): SearchableTool {
  const names = parameters.split(' ').filter((parameter) => parameter !== '');
  const key = toPublicName(connection, name);
  const publicItem: Tool = {
    name: key,
    description,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(names.map((parameter) => [parameter.replace('*', ''), { type: 'string' }])),
      required: names.filter((parameter) => parameter.endsWith('*')).map((parameter) => parameter.slice(0, -1)),
    },
  };
  return { key, publicItem };
}

/** The corpus repeated under other connections, `length` tools long. */
export function createLargeCatalogue(length: number): SearchableTool[] {
  const tools = createCatalogue();
  return Array.from({ length }, (_, index) => {
    const tool = tools[index % tools.length];
    if (!tool) throw new Error('the corpus is empty');
    const round = Math.floor(index / tools.length);
    const key = round === 0 ? tool.key : tool.key.replace('__', `-${round}__`);
    return { key, publicItem: { ...tool.publicItem, name: key } };
  });
}

export type QuestionSet = { readonly tuning: readonly Question[]; readonly heldOut: readonly Question[] };

/** The questions for tuning, and those held out. */
export function readQuestions(): QuestionSet {
  return parseQuestions(questionLines);
}

export function readBlindQuestions(): QuestionSet {
  return parseQuestions(blindQuestionLines);
}

function parseQuestions(lines: string): QuestionSet {
  const questions = lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [query = '', expected = ''] = line.split(' => ');
      return { query, expected: expected.split(' | ') };
    });
  return {
    tuning: questions.filter((_, index) => index % 2 === 0),
    heldOut: questions.filter((_, index) => index % 2 === 1),
  };
}

/** The questions of which none of the expected tools is among the first `limit`. */
export function findMisses(
  search: (query: string, limit: number) => readonly SearchableTool[],
  questions: readonly Question[],
  limit: number,
): readonly Question[] {
  return questions.filter(({ query, expected }) => !search(query, limit).some(({ key }) => expected.includes(key)));
}
