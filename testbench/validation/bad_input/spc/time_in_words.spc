0,8,512,R,noon
