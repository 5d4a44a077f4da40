/** The folder of an agent: it has an entry that leads to a router, with a valid token that git ignores. */
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AgentRole } from '../../contract/agents/agent-token.ts';
import { resolveFolder } from '../agent-folders/separate-folders.ts';
import { buildAddEdits, buildEnabledServerEntry, mcpFile, settingsFile } from '../agent-folders/server-entry.ts';
import { applyEdits } from '../agent-folders/text-edit.ts';
import { appendLines, assertUntracked, listUnignored, toIgnoreLine } from '../agent-folders/token-protection.ts';
import { rewriteFile } from '../agent-folders/user-file.ts';
import {
  checkPassed,
  checkSkipped,
  createProblem,
  type FixableFindings,
  type SafeFix,
  type SetupProblem,
  toProblem,
} from '../checks/setup-check.ts';
import { type AgentEntry, isServerEnabled, readAgentEntry } from './agent-entry.ts';
import type { DoctorCheck, DoctorContext } from './context.ts';

const statusTools = { test: 'author__get_executor_status', product: 'product__get_instance_status' } as const;

export function createAgentFolderCheck(role: AgentRole): DoctorCheck {
  const flag = `${role}-dir`;
  return {
    id: `${role}_agent`,
    title: `folder of the ${role} agent`,
    async inspect(context) {
      const path = role === 'test' ? context.testDir : context.productDir;
      const { instanceId: instance } = context.state;
      if (path === undefined) return checkSkipped(`not checked without --${flag}`);
      if (instance === undefined) return checkSkipped('not checked: the instance is unknown');
      const folder = await resolveFolder(path);
      const entry = await readAgentEntry(folder, instance);
      if (!entry)
        return { facts: [], problems: [createProblem('AGENT_FOLDER_UNCONNECTED', { folder, instance, flag })] };
      return inspectFolder(context, { folder, instance, role, entry, flag });
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

async function inspectFolder(context: DoctorContext, agent: Agent): Promise<FixableFindings> {
  const { folder, instance } = agent;
  const problems: SetupProblem[] = [];
  const fixes: SafeFix[] = [];
  const server = join(folder, mcpFile);
  const tracked = await assertUntracked(server, context.folderContext).then(() => undefined, toProblem);
  if (tracked) problems.push(tracked);
  else if ((await listUnignored([server], context.folderContext)).length > 0) {
    problems.push(createProblem('AGENT_TOKEN_UNIGNORED', { file: server }));
    fixes.push({
      what: `${mcpFile} is ignored by git in ${folder}`,
      act: () => addIgnoreLine(context, folder, server),
    });
  }
  if (!(await isServerEnabled(folder, instance))) {
    problems.push(createProblem('AGENT_SERVER_DISABLED', { folder, instance }));
    fixes.push({
      what: `the entry is enabled in ${settingsFile} of ${folder}`,
      act: () => enableServer(context, agent),
    });
  }
  const tokenFindings = await checkToken(context, agent);
  problems.push(...tokenFindings.problems);
  return { facts: tokenFindings.facts, problems, fixes };
}

async function checkToken({ callTool }: DoctorContext, { entry, role, folder, instance, flag }: Agent) {
  try {
    const { isError, text } = await callTool(entry.url, entry.token, statusTools[role]);
    if (!isError) return checkPassed('connected', 'its token is recognized');
    const firstLine = text.split('\n')[0] ?? '';
    return { facts: [], problems: [createProblem('AGENT_ANSWER_BAD', { folder, message: firstLine.slice(0, 300) })] };
  } catch (cause) {
    const { message } = toProblem(cause);
    return { facts: [], problems: [createProblem('AGENT_REFUSED', { folder, reason: message, instance, flag })] };
  }
}

async function addIgnoreLine({ folderContext }: DoctorContext, folder: string, file: string): Promise<void> {
  const line = toIgnoreLine(folder, file);
  const addLine = (text: string | undefined): string => applyEdits(text ?? '', [appendLines(text, [line])]);
  await rewriteFile(join(folder, '.gitignore'), addLine, folderContext.random, 0o644);
}

async function enableServer({ folderContext }: DoctorContext, { folder, instance }: Agent): Promise<void> {
  const file = join(folder, settingsFile);
  await mkdir(dirname(file), { recursive: true });
  const addEntry = (text: string | undefined) =>
    applyEdits(text ?? '', buildAddEdits(file, text, buildEnabledServerEntry(instance)).edits);
  await rewriteFile(file, addEntry, folderContext.random);
}
