// Drives ioredis and node-redis as users with rules: node access.mjs PORT. Exits with 0 and prints "ok" where all is well.
import assert from 'node:assert/strict';
import Redis from 'ioredis';
import { createClient } from 'redis';

const port = Number(process.argv[2]);
const patienceMs = 300_000;

const admin = new Redis(port, '127.0.0.1', { connectTimeout: patienceMs });
await admin.acl('SETUSER', 'node', 'on', '>secret', '~node:*', '&node:*', '+@all', '-@dangerous');

const client = new Redis(port, '127.0.0.1', { username: 'node', password: 'secret', connectTimeout: patienceMs,
  enableReadyCheck: false });
assert.equal(await client.acl('WHOAMI'), 'node');
assert.equal(await client.set('node:a', '1'), 'OK');
await assert.rejects(client.get('other'), /NOPERM/);
await assert.rejects(client.call('FLUSHALL'), /NOPERM/);
client.disconnect();

for (const RESP of [2, 3]) {
  const other = createClient({ url: `redis://127.0.0.1:${port}`, username: 'node', password: 'secret', RESP,
    socket: { connectTimeout: patienceMs } });
  await other.connect();
  assert.equal(await other.aclWhoAmI(), 'node');
  assert.equal(await other.get('node:a'), '1');
  await assert.rejects(other.set('other', '1'), /NOPERM/);
  await assert.rejects(other.subscribe('other', () => {}), /NOPERM/);
  other.destroy();
}

const wrong = createClient({ url: `redis://127.0.0.1:${port}`, username: 'node', password: 'wrong',
  socket: { connectTimeout: patienceMs, reconnectStrategy: false } });
wrong.on('error', () => {});
await assert.rejects(wrong.connect(), /WRONGPASS/);
admin.disconnect();
console.log('ok');
