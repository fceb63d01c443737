import { createHmac, createSecretKey } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { verify } from '/work/main/src/webhooks/signature.ts';
import { readSignatureHeaders } from '/work/main/src/webhooks/signature-headers.ts';
import { parseSecret } from '/work/main/src/webhooks/secrets.ts';
const text='whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'; const secret=parseSecret(text); const key=Buffer.from(text.slice(6),'base64'); const ko=createSecretKey(key);
const body=Buffer.from(JSON.stringify({event:'task.completed',x:'y'.repeat(570)})); const id='msg_p5jXN8AQM9LWM0D4loKWxJek'; const now=Date.now(); const ts=String(Math.floor(now/1000));
const all=Buffer.concat([Buffer.from(`${id}.${ts}.`),body]);
const sig='v1,'+createHmac('sha256',key).update(all).digest('base64');
const leg='v1='+createHmac('sha256',text).update(ts+'.').update(body).digest('hex');
const raw=['Host','127.0.0.1','Content-Type','application/json','Content-Length','600','User-Agent','media','webhook-id',id,'webhook-timestamp',ts,'webhook-signature',sig];
const both=[...raw,'X-Webhook-Signature',leg,'X-Webhook-Timestamp',ts,'X-Webhook-Event-Id',id,'X-Webhook-Event-Type','task.completed'];
const secrets=[secret]; const o={legacy:'refuse'} as const; const wh=new Webhook(text); const hs={'webhook-id':id,'webhook-timestamp':ts,'webhook-signature':sig};
if(!verify(raw,body,secrets,now,o).ok||!verify(both,body,secrets,now,o).ok) throw 1;
const cases:Record<string,()=>unknown>={ 'bare KeyObject':()=>createHmac('sha256',ko).update(all).digest(), 'bare b64':()=>createHmac('sha256',ko).update(all).digest('base64'), 'bare Buffer key':()=>createHmac('sha256',key).update(all).digest(), 'hmac only':()=>secret.standard.digest('msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.',body,'base64'), headers:()=>readSignatureHeaders(raw), verify:()=>verify(raw,body,secrets,now,o), 'verify both':()=>verify(both,body,secrets,now,o), 'standardwebhooks':()=>wh.verify(body,hs,{jsonParse:false}) };
const res:Record<string,number[]>={};
for(let r=0;r<9;r++) for(const [n,f] of Object.entries(cases)){ const N=n[0]==='s'?2000:50000; for(let i=0;i<1000;i++)f(); const t=process.hrtime.bigint(); for(let i=0;i<N;i++)f(); (res[n]??=[]).push(Number(process.hrtime.bigint()-t)/N); }
for(const n in res) console.log(n.padEnd(20),Math.round(res[n]!.sort((a,b)=>a-b)[4]!),Math.round(res[n]![0]!));
