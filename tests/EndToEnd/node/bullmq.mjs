// Drives BullMQ as far as it goes without scripts: node bullmq.mjs PORT. Exits with 0 and prints "ok" where all
// is well. What its scripts would write (jobs, states, markers) is written here, in their layout: a sorted set of
// markers that workers wait for, lists and sorted sets of job ids, a hash a job, a stream of events.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Queue, QueueEvents, QueueEventsProducer, Worker } from 'bullmq';
import Redis from 'ioredis';

const port = Number(process.argv[2]);
const connection = { host: '127.0.0.1', port, connectTimeout: 300_000 };
const patienceMs = 300_000;
const jobCount = 300;
// Jobs know what layout their queue has, not what kind of number an ID is.
const ids = Array.from({ length: jobCount }, (_, index) => `job${index}`);

function within(promise, what) {
  const late = new Promise((_, reject) => setTimeout(() => reject(new Error(`${what}: late`)), patienceMs).unref());
  return Promise.race([promise, late]);
}

// What add() does in a script: a job's hash, and its place in a list or a sorted set.
async function addJobs(queue, plain) {
  const key = (name) => queue.toKey(name);
  const chain = plain.multi();
  for (const [index, id] of ids.entries()) {
    chain.hset(key(id), { name: 'work', data: JSON.stringify({ index }), opts: '{}', timestamp: 1000 + index,
      delay: 0, priority: 0, atm: 0 });
  }
  await chain.exec();
  await plain.rpush(key('wait'), ...ids.slice(0, 200));
  await plain.rpush(key('active'), ids[200]);
  await plain.zadd(key('delayed'), ...ids.slice(201, 250).flatMap((id, index) => [(5000 + index) * 0x1000, id]));
  await plain.zadd(key('prioritized'), ...ids.slice(250, 260).flatMap((id, index) => [index * 0x100000000, id]));
  await plain.zadd(key('completed'), ...ids.slice(260, 290).flatMap((id, index) => [index, id]));
  await plain.zadd(key('failed'), ...ids.slice(290).flatMap((id, index) => [index, id]));
  return plain;
}

async function events() {
  const listener = new QueueEvents('work', { connection, blockingTimeout: 1000 });
  await listener.waitUntilReady();
  const producer = new QueueEventsProducer('work', { connection });
  // The listener reads from the entries that come once it waits: said again until it has heard one.
  const heard = once(listener, 'hello');
  let isHeard = false;
  heard.then(() => { isHeard = true; });
  const limit = Date.now() + patienceMs;
  while (!isHeard) {
    assert.ok(Date.now() < limit, 'no listener gets events');
    await producer.publishEvent({ eventName: 'hello', text: 'there' });
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.equal((await heard)[0].text, 'there');
  const numbers = [];
  const all = new Promise((resolve) => listener.on('count', ({ number }) => {
    if (numbers.push(Number(number)) === 1000) resolve();
  }));
  await Promise.all(Array.from({ length: 1000 }, (_, number) => producer.publishEvent({ eventName: 'count', number })));
  await within(all, 'a thousand events');
  assert.deepEqual(numbers, Array.from({ length: 1000 }, (_, number) => number));
  const completed = once(listener, 'completed:job1');
  await producer.publishEvent({ eventName: 'completed', jobId: 'job1', returnvalue: '{"sum":3}' });
  assert.deepEqual((await within(completed, 'completed'))[0].returnvalue, { sum: 3 });
  await producer.close();
  return listener;
}

async function metadata(queue) {
  assert.equal(await queue.getGlobalConcurrency(), null);
  await queue.setGlobalConcurrency(4);
  await queue.setGlobalRateLimit(10, 1000);
  assert.equal(await queue.getGlobalConcurrency(), 4);
  assert.deepEqual(await queue.getGlobalRateLimit(), { max: 10, duration: 1000 });
  assert.equal((await queue.getMeta()).concurrency, 4);
  await queue.removeGlobalConcurrency();
  assert.equal(await queue.getGlobalConcurrency(), null);
  assert.equal(await queue.isPaused(), false);
  await queue.rateLimit(3_600_000);
  assert.equal(await queue.removeRateLimitKey(), 1);
  assert.equal(await queue.removeRateLimitKey(), 0);
}

async function jobs(queue, plain) {
  const job = await queue.getJob('job7');
  assert.deepEqual(job.data, { index: 7 });
  assert.equal(await queue.getJob('none'), undefined);
  assert.equal(await job.isWaiting(), true);
  assert.equal(await job.isCompleted(), false);
  assert.equal(await (await queue.getJob('job200')).isActive(), true);
  assert.equal(await (await queue.getJob('job210')).isDelayed(), true);
  assert.equal(await (await queue.getJob('job270')).isCompleted(), true);
  assert.equal(await (await queue.getJob('job295')).isFailed(), true);
  await plain.rpush(queue.toKey('job7:logs'), ...Array.from({ length: 500 }, (_, index) => `line ${index}`));
  const { logs, count } = await queue.getJobLogs('job7', 0, 9);
  assert.deepEqual([logs.length, logs[9], count], [10, 'line 9', 500]);
  assert.deepEqual((await queue.getJobLogs('job7', 0, 1, false)).logs, ['line 499', 'line 498']);
  await job.clearLogs(3);
  assert.deepEqual((await queue.getJobLogs('job7')).logs, ['line 497', 'line 498', 'line 499']);
  await job.clearLogs();
  assert.equal((await queue.getJobLogs('job7')).count, 0);
}

async function children(queue, plain) {
  const job = await queue.getJob('job8');
  await plain.hset(queue.toKey('job8:processed'),
    Object.fromEntries(ids.slice(0, 200).map((id, index) => [`bull:work:${id}`, String(index)])));
  await plain.sadd(queue.toKey('job8:dependencies'), ...ids.slice(200).map((id) => `bull:work:${id}`));
  await plain.zadd(queue.toKey('job8:unsuccessful'), 1, 'bull:work:a', 2, 'bull:work:b');
  assert.equal((await job.getChildrenValues())['bull:work:job150'], 150);
  const { processed, unprocessed, failed } = await job.getDependencies();
  assert.deepEqual([Object.keys(processed).length, unprocessed.length], [200, 100]);
  assert.deepEqual(failed, ['bull:work:a', 'bull:work:b']);
  const seen = new Set();
  let cursor = 0;
  do {
    const part = await job.getDependencies({ unprocessed: { cursor, count: 7 } });
    part.unprocessed.forEach((id) => seen.add(id));
    cursor = part.nextUnprocessedCursor;
  } while (cursor !== 0);
  assert.equal(seen.size, 100);
}

// How a worker waits, on the connection of its own that it has for that.
async function markers(queue, plain) {
  const worker = new Worker('work', null, { connection, autorun: false });
  await worker.waitUntilReady();
  const key = queue.toKey('marker');
  assert.equal(await worker.backend.waitForJob(0.01), null);
  const found = worker.backend.waitForJob(60);
  await plain.zadd(key, 0, '0');
  assert.deepEqual(await within(found, 'a marker'), { member: '0', score: 0 });
  await plain.zadd(key, 1_800_000_000_000, '1', 0, '0');
  assert.deepEqual([await worker.backend.waitForJob(1), await worker.backend.waitForJob(1)],
    [{ member: '0', score: 0 }, { member: '1', score: 1_800_000_000_000 }]);
  await worker.close();
}

const queue = new Queue('work', { connection });
await queue.waitUntilReady();
const plain = new Redis(connection);
await addJobs(queue, plain);
const listener = await events();
await metadata(queue);
await jobs(queue, plain);
await children(queue, plain);
await markers(queue, plain);
// A listener has a name, by which the queue finds it.
assert.equal((await queue.getQueueEvents()).length, 1);
// The server sees the end of a worker's connection when it has come there.
while (await queue.getWorkersCount() !== 0) await new Promise((resolve) => setTimeout(resolve, 10));
assert.ok(await queue.trimEvents(10) >= 0);
await assert.rejects(queue.add('work', {}), /unknown command/i);
await listener.close();
plain.disconnect();
await queue.close();
console.log('ok');
