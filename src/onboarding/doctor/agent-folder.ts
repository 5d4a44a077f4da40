/** The folder of an agent: its entry is there, leads to a router, its token is known, and is kept out of git. */
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AgentRole } from '../../contract/agent-token.ts';
import { folderAt } from '../folders/apart.ts';
import { mcpFile, settingsFile } from '../folders/connect.ts';
import { demandUntracked, ignoreLine, linesAdded, unignored } from '../folders/git-ignore.ts';
import { rewriteFile } from '../folders/own-file.ts';
import { editsToAdd, enabledEntry } from '../folders/server-entry.ts';
import { edited } from '../folders/text-edit.ts';
import { fine, type Problem, problem, problemOf, skipped } from '../preflight/check.ts';
import { type AgentEntry, agentEntry, isEnabled } from './agent-entry.ts';
import type { DoctorCheck, DoctorContext, DoctorFindings, Fix } from './context.ts';

const tools = { test: 'author__get_executor_status', product: 'product__get_instance_status' } as const;

/** The check of one of the two folders. */
export function agentFolderCheck(role: AgentRole): DoctorCheck {
  const flag = `${role}-dir`;
  return {
    id: `${role}_agent`,
    title: `folder of the ${role} agent`,
    async look(context) {
      const path = role === 'test' ? context.testDir : context.productDir;
      const { instanceId: instance } = context.found;
      if (path === undefined) return skipped(`not looked at without --${flag}`);
      if (instance === undefined) return skipped('not looked at: the instance is not known');
      const folder = await folderAt(path);
      const entry = await agentEntry(folder, instance);
      if (!entry) return { facts: [], problems: [problem('AGENT_FOLDER_UNCONNECTED', { folder, instance, flag })] };
      return folderState(context, { folder, instance, role, entry, flag });
    },
  };
}

type Agent = {
  readonly folder: string;
  readonly instance: string;
  readonly role: AgentRole;
  readonly entry: AgentEntry;
  readonly flag: string;
};

async function folderState(context: DoctorContext, agent: Agent): Promise<DoctorFindings> {
  const { folder, instance } = agent;
  const problems: Problem[] = [];
  const fixes: Fix[] = [];
  const server = join(folder, mcpFile);
  const tracked = await demandUntracked(server, context.folderPlace).then(() => undefined, problemOf);
  if (tracked) problems.push(tracked);
  else if ((await unignored([server], context.folderPlace)).length > 0) {
    problems.push(problem('AGENT_TOKEN_UNIGNORED', { file: server }));
    fixes.push({ what: `${mcpFile} is ignored by git in ${folder}`, act: () => ignored(context, folder, server) });
  }
  if (!(await isEnabled(folder, instance))) {
    problems.push(problem('AGENT_SERVER_DISABLED', { folder, instance }));
    fixes.push({ what: `the entry is enabled in ${settingsFile} of ${folder}`, act: () => enabled(context, agent) });
  }
  const answered = await recognized(context, agent);
  problems.push(...answered.problems);
  return { facts: answered.facts, problems, fixes };
}

async function recognized({ callTool }: DoctorContext, { entry, role, folder, instance, flag }: Agent) {
  try {
    const { isError, text } = await callTool(entry.url, entry.token, tools[role]);
    if (!isError) return fine('connected', 'its token is recognized');
    const said = text.split('\n')[0] ?? '';
    return { facts: [], problems: [problem('AGENT_ANSWER_BAD', { folder, said: said.slice(0, 300) })] };
  } catch (thrown) {
    const { message } = problemOf(thrown);
    return { facts: [], problems: [problem('AGENT_REFUSED', { folder, reason: message, instance, flag })] };
  }
}

async function ignored({ folderPlace }: DoctorContext, folder: string, file: string): Promise<void> {
  const line = ignoreLine(folder, file);
  const add = (text: string | undefined): string => edited(text ?? '', [linesAdded(text, [line])]);
  await rewriteFile(join(folder, '.gitignore'), add, folderPlace.random, 0o644);
}

async function enabled({ folderPlace }: DoctorContext, { folder, instance }: Agent): Promise<void> {
  const file = join(folder, settingsFile);
  await mkdir(dirname(file), { recursive: true });
  const add = (text: string | undefined) => edited(text ?? '', editsToAdd(file, text, enabledEntry(instance)).edits);
  await rewriteFile(file, add, folderPlace.random);
}
