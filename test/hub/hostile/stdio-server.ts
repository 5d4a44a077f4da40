/** A program that speaks MCP on its standard streams. Its first word says how it behaves. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [how = 'good', note = ''] = process.argv.slice(2);

function say(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

if (how === 'family') {
  // A grandchild that would outlive its parent.
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  writeFileSync(note, String(child.pid));
}
if (how === 'flood') {
  for (let round = 0; round < 100; round += 1) process.stdout.write('x'.repeat(100_000));
}
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (method === 'server/discover') {
    if (how === 'old') process.exit(7);
    say({ id, error: { code: -32601, message: 'Method not found' } });
  }
  if (method === 'initialize') {
    const { protocolVersion } = params;
    say({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'pipe', version: '1' } } });
  }
  if (method === 'tools/list') {
    const names = ['pid', 'die', 'environment'];
    say({ id, result: { tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })) } });
  }
  if (method !== 'tools/call') return;
  if (params.name === 'die') process.exit(3);
  const value = params.name === 'pid' ? String(process.pid) : JSON.stringify(process.env);
  say({ id, result: { content: [{ type: 'text', text: value }] } });
});
