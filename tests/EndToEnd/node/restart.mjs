// Uses scripts, functions and a queue while the server is killed and started again, until the key "restarts:done"
// exists: node restart.mjs PORT. Exits with 0 and prints "ok" where nothing is lost and nothing is done twice.
import assert from 'node:assert/strict';
import Redis from 'ioredis';
import { createClient } from 'redis';
import { Queue, Worker } from 'bullmq';

const port = Number(process.argv[2]);
const done = 'restarts:done';

// Lost connections are what this is about.
function ignore() {}

// Sends a command again where its connection was lost.
async function untilAnswered(send) {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      assert.doesNotMatch(error.message, /Function not found/);
    }
  }
}

// Its commands are sent by their digests, which a new server does not know, and again after a connection was lost.
async function ioredis() {
  const client = new Redis({ host: '127.0.0.1', port, maxRetriesPerRequest: null, retryStrategy: () => 20 });
  client.on('error', ignore);
  client.defineCommand('once', {
    numberOfKeys: 2,
    lua: `if redis.call('SADD', KEYS[1], ARGV[1]) == 1 then redis.call('RPUSH', KEYS[2], ARGV[1]) end
      return redis.call('EXISTS', ARGV[2])`,
  });
  let count = 0;
  while (await client.once('io:set', 'io:list', count++, done) === 0);
  assert.deepEqual(await client.lrange('io:list', 0, -1), Array.from({ length: count }, (_, index) => String(index)));
  client.disconnect();
}

// The library is sent once: a new server has it from its file.
async function nodeRedis() {
  const client = createClient({ socket: { port, reconnectStrategy: () => 20 } });
  client.on('error', ignore);
  await client.connect();
  await untilAnswered(() => client.functionLoad(`#!lua name=restart
    redis.register_function('restart_once', function(keys, args)
      if redis.call('SADD', keys[1], args[1]) == 1 then redis.call('INCR', keys[2]) end
      return redis.call('EXISTS', args[2])
    end)`, { REPLACE: true }));
  let count = 0;
  for (let isDone = false; !isDone; count++) {
    isDone = await untilAnswered(() => client.fCall('restart_once',
      { keys: ['nr:set', 'nr:count'], arguments: [String(count), done] })) === 1;
  }

  assert.equal(await client.get('nr:count'), String(count));
  client.destroy();
}

// A job whose worker is cut off may run twice, and is done once.
async function bullMq() {
  const connection = { host: '127.0.0.1', port, maxRetriesPerRequest: null, retryStrategy: () => 20 };
  const queue = new Queue('restarts', { connection });
  const worker = new Worker('restarts', async (job) => job.data.number,
    { connection, concurrency: 4, lockDuration: 2000, stalledInterval: 500, maxStalledCount: 1000 });
  const client = new Redis(connection);
  for (const one of [queue, worker, client]) one.on('error', ignore);
  const ids = [];
  while (await client.exists(done) === 0) {
    ids.push((await queue.add('job', { number: ids.length }, { jobId: `job-${ids.length}` })).id);
  }

  const isOpen = (counts) => counts.waiting + counts.active + counts.delayed > 0;
  while (isOpen(await queue.getJobCounts('waiting', 'active', 'delayed'))) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }

  assert.deepEqual(await queue.getJobCounts('completed', 'failed'), { completed: ids.length, failed: 0 });
  await worker.close();
  await queue.close();
  client.disconnect();
}

await Promise.all([ioredis(), nodeRedis(), bullMq()]);
console.log('ok');
process.exit(0);
